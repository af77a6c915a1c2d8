/**
 * Fills a listing: items and rows straight into the table, without bytes, since a list never asks for them.
 */
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type FileItem, rowsOf } from '../lib/file.ts'
import { toFileItem, toRowItem } from '../lib/items.ts'

/** Writes so many files of user `ana` into the workspace; `tagsOf` gives the tags of each. */
export async function fill(
  dynamo: DynamoDBClient,
  workspaceId: string,
  count: number,
  tagsOf: (i: number) => string[],
): Promise<void> {
  const puts = Array.from({ length: count }, (_, i) => fileOf(workspaceId, i, tagsOf(i))).flatMap((item) => [
    toFileItem(item),
    ...rowsOf(item).map(toRowItem),
  ])
  const batches = Array.from({ length: Math.ceil(puts.length / 25) }, (_, i) =>
    puts.slice(i * 25, i * 25 + 25),
  )
  const next = batches[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const batch of next) {
        const requests = batch.map((Item) => ({ PutRequest: { Item } }))
        await dynamo.send(new BatchWriteItemCommand({ RequestItems: { 'bench-files': requests } }))
      }
    }),
  )
}

/** The i-th file of the workspace, as it is indexed. */
export function fileOf(workspaceId: string, i: number, tags: string[]): FileItem {
  const fileId = `fl_${i.toString(16).padStart(24, '0')}`
  return {
    state: 'ready',
    workspaceId,
    fileId,
    ownerId: 'ana',
    name: `report-${i}.csv`,
    createdAt: new Date(1_700_000_000_000 + i * 1_000).toISOString(),
    tags,
    visibility: 'private',
    readers: [],
    objectKey: `files/${workspaceId}/ana/${fileId}/report-${i}.csv`,
    revision: 1,
    content: {
      type: 'text/csv',
      size: i,
      storedSize: i,
      etag: '"e"',
      versionId: 'v',
      charset: 'utf-8',
      gzip: false,
      oversize: false,
    },
    formerReaders: [],
    formerlyShared: false,
    expiresAtSec: undefined,
  }
}
