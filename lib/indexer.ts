/**
 * Indexes what a batch of queue messages names: each key once, several at a time. A message that fails is reported
 * alone, so that the queue delivers it again, and sets it aside when it never works.
 */
import pMap from 'p-map'
import * as z from 'zod/mini'
import { keysOf } from './events.ts'
import { type IndexStores, indexKey } from './indexing.ts'
import { parseObjectKey } from './keys.ts'
import { describeError, type Log } from './log.ts'

/** A batch as Lambda gets it from SQS, as far as it matters here. */
export const Batch = z.object({ Records: z.array(z.object({ messageId: z.string(), body: z.string() })) })
export type Batch = z.infer<typeof Batch>

/** The messages to deliver again, as Lambda reports them to SQS. */
export interface BatchFailures {
  batchItemFailures: { itemIdentifier: string }[]
}

/** Keys under way at a time: a text of 10 MiB is read in a few chunks, so the bound is for S3's sake. */
const concurrency = 8

/** Answers batches. */
export function createIndexer(stores: IndexStores, log: Log): (event: unknown) => Promise<BatchFailures> {
  return async (event) => {
    const { Records } = Batch.parse(event)
    const failed = new Set<string>()
    const messagesOf = new Map<string, string[]>()
    for (const { messageId, body } of Records) {
      try {
        for (const key of keysOf(body)) messagesOf.set(key, [...(messagesOf.get(key) ?? []), messageId])
      } catch (error) {
        failed.add(messageId)
        log('error', 'unreadable-event', { messageId, error: describeError(error) })
      }
    }
    await pMap(
      messagesOf,
      async ([key, messageIds]) => {
        try {
          const { result } = await indexKey(stores, key)
          log('info', 'indexed', { ...fileOf(key), result, messageIds })
        } catch (error) {
          for (const messageId of messageIds) failed.add(messageId)
          log('error', 'indexing-failed', { ...fileOf(key), messageIds, error: describeError(error) })
        }
      },
      { concurrency },
    )
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** What a log may tell of a key: everything but the file's name. */
function fileOf(key: string): { workspace?: string; owner?: string; fileId?: string } {
  const place = parseObjectKey(key)
  return place ? { workspace: place.workspaceId, owner: place.ownerId, fileId: place.fileId } : {}
}
