/**
 * The table Files as a whole, for whoever repairs or fills it: many items at once, every item in the table's own order,
 * and index rows by themselves. One of the places that know the AWS SDK.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import pMap from 'p-map'
import { ResolverError, unavailable } from './errors.ts'
import type { FileItem, Row } from './file.ts'
import { isConflict } from './files.ts'
import { fromItem, fromRowItem, type Item, readText, toRowItem } from './items.ts'
import { fileKey, fileSortKey, type ItemKey, isListingKey } from './keys.ts'

/** Which file of which workspace. */
export interface FileName {
  readonly workspaceId: string
  readonly fileId: string
}

/** What one page of the table holds of files and rows. */
export interface SurveyPage {
  readonly files: readonly FileItem[]
  readonly rows: readonly ItemKey[]
  /** Partition keys of file items that are not as we write them. */
  readonly unreadable: readonly string[]
  readonly next: ItemKey | undefined
}

/** The operations on the whole table. */
export interface Survey {
  /** The items of the files that there are, strongly consistent, in no order, unless they are unreadable. */
  filesOf(names: readonly FileName[]): Promise<FileItem[]>
  /** What there is under these keys, strongly consistent, in no order; `row` is undefined for what is none. */
  rowsAt(keys: readonly ItemKey[]): Promise<(ItemKey & { readonly row: Row | undefined })[]>
  /** One page of everything, from the item after `after`. */
  page(after?: ItemKey): Promise<SurveyPage>
  /** Puts and deletes rows of a file. Throws `conflict` unless the file is still `file` (undefined: is not there). */
  repair(
    name: FileName,
    file: FileItem | undefined,
    rows: { readonly put: readonly Row[]; readonly remove: readonly ItemKey[] },
  ): Promise<void>
  /** Roughly how many items there are. */
  estimate(): Promise<number>
  /** Where the walk of that name was left, as it was saved. */
  loadCursor(walk: string): Promise<string | undefined>
  /** Saves where a walk is; undefined forgets it. */
  saveCursor(walk: string, cursor: string | undefined): Promise<void>
}

/** Most keys that one BatchGetItem takes. */
const maxBatch = 100

/** Batches under way at a time. */
const concurrency = 8

/** Pauses before keys that were left unprocessed are asked for again. */
const maxPauseMs = 2_000
const maxPauses = 8

/** The survey of one table. */
export function createSurvey(client: DynamoDBClient, table: string): Survey {
  async function getAll(keys: readonly ItemKey[]): Promise<Item[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / maxBatch) }, (_, i) =>
      keys.slice(i * maxBatch, (i + 1) * maxBatch),
    )
    return (await pMap(batches, getBatch, { concurrency })).flat()
  }

  /** DynamoDB may answer a part of a batch only, also when nothing is wrong. */
  async function getBatch(keys: readonly ItemKey[]): Promise<Item[]> {
    const found: Item[] = []
    let wanted: Item[] = keys.map(attributesOf)
    for (let pauses = 0; wanted.length > 0; pauses += 1) {
      if (pauses > maxPauses) throw unavailable('BatchGetItem leaves keys unprocessed')
      if (pauses > 0) await sleep(Math.random() * Math.min(maxPauseMs, 50 * 2 ** pauses))
      const request = new BatchGetItemCommand({
        RequestItems: { [table]: { Keys: wanted, ConsistentRead: true } },
      })
      const answer = await answered('BatchGetItem', client.send(request))
      found.push(...(answer.Responses?.[table] ?? []))
      wanted = answer.UnprocessedKeys?.[table]?.Keys ?? []
    }
    return found
  }

  return {
    async filesOf(names) {
      const keys = names.map(({ workspaceId, fileId }) => fileKey(workspaceId, fileId))
      return (await getAll(keys)).flatMap((item) => readable(item, fromItem))
    },

    async rowsAt(keys) {
      return (await getAll(keys)).map((item) => ({ ...keyOf(item), row: readable(item, fromRowItem)[0] }))
    },

    async page(after) {
      const request = new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ...(after ? { ExclusiveStartKey: attributesOf(after) } : {}),
      })
      const { Items = [], LastEvaluatedKey: last } = await answered('Scan', client.send(request))
      const fileItems = Items.filter(({ sk }) => sk?.S === fileSortKey)
      const files = fileItems.flatMap((item) => readable(item, fromItem))
      const known = new Set(files.map(({ workspaceId, fileId }) => fileKey(workspaceId, fileId).pk))
      return {
        files,
        rows: Items.map(keyOf).filter(({ pk }) => isListingKey(pk)),
        unreadable: fileItems.map(keyOf).flatMap(({ pk }) => (known.has(pk) ? [] : [pk])),
        next: last?.pk && keyOf(last),
      }
    },

    async repair({ workspaceId, fileId }, file, { put, remove }) {
      const condition =
        file === undefined
          ? { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' } }
          : {
              ConditionExpression: '#revision = :revision',
              ExpressionAttributeNames: { '#revision': 'revision' },
              ExpressionAttributeValues: { ':revision': { N: String(file.revision) } },
            }
      const Key = attributesOf(fileKey(workspaceId, fileId))
      const TransactItems: TransactWriteItem[] = [
        { ConditionCheck: { TableName: table, Key, ...condition } },
        ...put.map((row) => ({ Put: { TableName: table, Item: toRowItem(row) } })),
        ...remove.map((key) => ({ Delete: { TableName: table, Key: attributesOf(key) } })),
      ]
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }))
      } catch (error) {
        if (isConflict(error)) {
          throw new ResolverError('conflict', { detail: 'the file changed meanwhile', cause: error })
        }
        throw unavailable('TransactWriteItems failed', error)
      }
    },

    async estimate() {
      const { Table } = await answered(
        'DescribeTable',
        client.send(new DescribeTableCommand({ TableName: table })),
      )
      return Table?.ItemCount ?? 0
    },

    async loadCursor(walk) {
      const request = new GetItemCommand({ TableName: table, Key: cursorKey(walk), ConsistentRead: true })
      const { Item } = await answered('GetItem', client.send(request))
      return Item && readText(Item, 'cursor')
    },

    async saveCursor(walk, cursor) {
      if (cursor === undefined) {
        const request = new DeleteItemCommand({ TableName: table, Key: cursorKey(walk) })
        await answered('DeleteItem', client.send(request))
        return
      }
      const Item = { ...cursorKey(walk), cursor: { S: cursor } }
      await answered('PutItem', client.send(new PutItemCommand({ TableName: table, Item })))
    },
  }
}

/** What was read, or nothing when it is not as we write it. */
function readable<T>(item: Item, read: (item: Item) => T): T[] {
  try {
    return [read(item)]
  } catch {
    return []
  }
}

function keyOf(item: Item): ItemKey {
  return { pk: readText(item, 'pk'), sk: readText(item, 'sk') }
}

function attributesOf({ pk, sk }: ItemKey): Item {
  return { pk: { S: pk }, sk: { S: sk } }
}

function cursorKey(walk: string): Item {
  return attributesOf({ pk: 'cursor', sk: walk })
}

function answered<T>(operation: string, sent: Promise<T>): Promise<T> {
  return sent.catch((error: unknown) => {
    throw unavailable(`${operation} failed`, error)
  })
}
