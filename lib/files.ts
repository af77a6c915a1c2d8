/**
 * The file index, in the DynamoDB table Files: file items and their rows (architecture.md). One of the places
 * that know the AWS SDK. An item and its rows change together or not at all, conditional on the item's revision.
 */
import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { ResolverError, unavailable } from './errors.ts'
import { type FileItem, type Readable, type Row, rowsOf } from './file.ts'
import { fromItem, fromReadableItem, readableAttributes, readText, toFileItem, toRowItem } from './items.ts'
import { fileKey } from './keys.ts'

/** What a listing asks of one partition: rows after `after`, filtered, at most `limit` looked at. */
export interface RowQuery {
  readonly pk: string
  /** Only rows that carry all these tags. */
  readonly tags: readonly string[]
  /** Only rows of exactly one of these types, parameters included. */
  readonly types?: readonly string[] | undefined
  /** Only rows of this type, with any parameters. */
  readonly essence?: string | undefined
  /** For whom: rows that are kept for certain readers are seen by those alone. */
  readonly userId: string
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Some rows of a partition, in order; `next` continues after them, undefined at the end (an empty page is no end). */
export interface RowPage {
  readonly rows: readonly { readonly sk: string; readonly json: string }[]
  readonly next: string | undefined
}

/** The operations on the file index. */
export interface FileIndex {
  /** The item, strongly consistent; undefined when there is none. */
  get(workspaceId: string, fileId: string): Promise<FileItem | undefined>
  /** What a read needs of the item, strongly consistent. Tags are not fetched: their number would tell in the time. */
  find(workspaceId: string, fileId: string, signal: AbortSignal): Promise<Readable | undefined>
  /**
   * Replaces `before` (undefined: there must be none) by `after` with all index rows, in one transaction. Throws
   * `conflict` when the item is no longer at `before`'s revision.
   */
  write(before: FileItem | undefined, after: FileItem): Promise<void>
  /** One page of a partition, strongly consistent. */
  query(query: RowQuery, signal?: AbortSignal): Promise<RowPage>
}

/** The file index in one table. */
export function createFileIndex(client: DynamoDBClient, table: string): FileIndex {
  const itemOf = (workspaceId: string, fileId: string) => {
    const { pk, sk } = fileKey(workspaceId, fileId)
    return { TableName: table, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }
  }

  return {
    async get(workspaceId, fileId) {
      const request = new GetItemCommand(itemOf(workspaceId, fileId))
      const { Item } = await answered('GetItem', () => client.send(request))
      return Item && fromItem(Item)
    },

    async find(workspaceId, fileId, signal) {
      const request = new GetItemCommand({ ...itemOf(workspaceId, fileId), ...readableProjection })
      const { Item } = await answered('GetItem', () => client.send(request, { abortSignal: signal }))
      return Item && fromReadableItem(Item)
    },

    async write(before, after) {
      const TransactItems = [putFile(table, before, after), ...changeRows(table, before, after)]
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }))
      } catch (error) {
        if (isConflict(error))
          throw new ResolverError('conflict', {
            detail: 'the file changed meanwhile, try again',
            cause: error,
          })
        throw unavailable('TransactWriteItems failed', error)
      }
    },

    async query(query, signal) {
      const request = new QueryCommand({ TableName: table, ...queryInput(query) })
      const answer = await answered('Query', () =>
        client.send(request, signal ? { abortSignal: signal } : {}),
      )
      const rows = (answer.Items ?? []).map((item) => ({
        sk: readText(item, 'sk'),
        json: readText(item, 'json'),
      }))
      const next = answer.LastEvaluatedKey?.sk
      return { rows, next: next?.S }
    },
  }
}

/** With placeholders, since some of the names are reserved words. */
const readableProjection = {
  ProjectionExpression: readableAttributes.map((name) => `#${name}`).join(','),
  ExpressionAttributeNames: Object.fromEntries(readableAttributes.map((name) => [`#${name}`, name])),
}

async function answered<T>(operation: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    throw unavailable(`${operation} failed`, error)
  }
}

function putFile(table: string, before: FileItem | undefined, after: FileItem): TransactWriteItem {
  const unchanged =
    before === undefined
      ? { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' } }
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': { N: String(before.revision) } },
        }
  return { Put: { TableName: table, Item: toFileItem(after), ...unchanged } }
}

/** Deletes the rows that are no more and puts those that are new or different; the rest is left alone. */
function changeRows(table: string, before: FileItem | undefined, after: FileItem): TransactWriteItem[] {
  const old = new Map(before ? rowsOf(before).map((row) => [row.pk, row]) : [])
  const actions: TransactWriteItem[] = []
  for (const row of rowsOf(after)) {
    const present = old.get(row.pk)
    old.delete(row.pk)
    if (!present || !sameRow(present, row)) actions.push({ Put: { TableName: table, Item: toRowItem(row) } })
  }
  for (const { pk, sk } of old.values()) {
    actions.push({ Delete: { TableName: table, Key: { pk: { S: pk }, sk: { S: sk } } } })
  }
  return actions
}

function sameRow(a: Row, b: Row): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** True when it was lost to another writer: the condition on the revision failed, or another transaction holds the item. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code)
  return codes.some((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')
}

/** Placeholders for every attribute name: many plain ones (`type`, `name`, `size`) are reserved words. */
function queryInput({ pk, tags, types, essence, userId, limit, after }: RowQuery) {
  const names: Record<string, string> = { '#pk': 'pk', '#sk': 'sk', '#json': 'json', '#only': 'only' }
  const values: Record<string, AttributeValue> = { ':pk': { S: pk }, ':user': { S: userId } }
  const conditions = ['(attribute_not_exists(#only) OR contains(#only, :user))']
  if (types !== undefined || essence !== undefined) names['#type'] = 'type'
  if (types !== undefined) {
    for (const [i, type] of types.entries()) values[`:type${i}`] = { S: type }
    conditions.push(`#type IN (${types.map((_, i) => `:type${i}`).join(',')})`)
  }
  if (essence !== undefined) {
    values[':essence'] = { S: essence }
    values[':parameters'] = { S: `${essence};` }
    conditions.push('(#type = :essence OR begins_with(#type, :parameters))')
  }
  if (tags.length > 0) names['#tags'] = 'tags'
  for (const [i, tag] of tags.entries()) {
    values[`:tag${i}`] = { S: tag }
    conditions.push(`contains(#tags, :tag${i})`)
  }
  return {
    KeyConditionExpression: '#pk = :pk',
    FilterExpression: conditions.join(' AND '),
    ProjectionExpression: '#sk, #json',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ConsistentRead: true,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(after === undefined ? {} : { ExclusiveStartKey: { pk: { S: pk }, sk: { S: after } } }),
  }
}
