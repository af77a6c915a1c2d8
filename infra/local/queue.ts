/**
 * The queue between bucket and indexer on one machine: batches, redelivery of the messages that were reported as failed,
 * and giving up after a few times, as SQS does it. It lives in memory; what a killed process leaves is found by the
 * reconciler.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, BatchFailures } from '../../lib/indexer.ts'

/** A running queue. */
export interface Queue {
  send(body: string): void
  /** Begins to deliver to the handler, also what was sent before. */
  deliverTo(handler: (batch: Batch) => Promise<BatchFailures>): void
  /** Resolves when nothing is waiting, under way or to be delivered again. */
  settled(): Promise<void>
}

interface Message {
  messageId: string
  body: string
  receives: number
}

/** How it delivers; everything has a default. */
export interface QueueOptions {
  readonly batchSize?: number
  /** Batches under way at a time. */
  readonly consumers?: number
  readonly maxReceives?: number
  readonly retryAfterMs?: number
  /** Told of each message that was given up. */
  readonly onDeadLetter?: (body: string) => void
}

/** Creates an empty queue. */
export function createQueue(options: QueueOptions = {}): Queue {
  const { batchSize = 10, consumers = 2, maxReceives = 5, retryAfterMs = 1_000, onDeadLetter } = options
  const waiting: Message[] = []
  let unfinished = 0
  let running = 0
  let handler: ((batch: Batch) => Promise<BatchFailures>) | undefined
  let onSettled: (() => void)[] = []

  function wake(): void {
    if (!handler) return
    for (; running < consumers && waiting.length > 0; running += 1) setImmediate(consume, handler)
  }

  async function consume(deliver: NonNullable<typeof handler>): Promise<void> {
    for (let batch = take(); batch.length > 0; batch = take()) {
      const failed = await failuresOf(deliver, batch)
      for (const message of batch) {
        if (!failed.has(message.messageId)) finish()
        else if (message.receives < maxReceives) void redeliver(message)
        else giveUp(message)
      }
    }
    running -= 1
  }

  function take(): Message[] {
    const batch = waiting.splice(0, batchSize)
    for (const message of batch) message.receives += 1
    return batch
  }

  async function redeliver(message: Message): Promise<void> {
    await sleep(retryAfterMs * message.receives, undefined, { ref: false })
    waiting.push(message)
    wake()
  }

  function giveUp({ body }: Message): void {
    onDeadLetter?.(body)
    finish()
  }

  function finish(): void {
    unfinished -= 1
    if (unfinished > 0) return
    for (const resolve of onSettled) resolve()
    onSettled = []
  }

  return {
    send(body) {
      unfinished += 1
      waiting.push({ messageId: randomUUID(), body, receives: 0 })
      wake()
    },
    deliverTo(receiver) {
      handler = receiver
      wake()
    },
    settled() {
      return unfinished === 0 ? Promise.resolve() : new Promise((resolve) => void onSettled.push(resolve))
    },
  }
}

/** The ids of the messages that were reported; all of them when the handler throws. */
async function failuresOf(
  deliver: (batch: Batch) => Promise<BatchFailures>,
  messages: Message[],
): Promise<Set<string>> {
  try {
    const { batchItemFailures } = await deliver({ Records: messages })
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  } catch {
    return new Set(messages.map(({ messageId }) => messageId))
  }
}
