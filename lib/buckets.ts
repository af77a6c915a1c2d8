/**
 * The token buckets, in the DynamoDB table Buckets: one item each, with its TAT (see throttle.ts) in microseconds. One
 * of the places that know the AWS SDK, and UpdateItem is all that is ever called.
 */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { unavailable } from './errors.ts'

/** How an attempt went: the TAT it set, or the one it found instead (0: no bucket), or the item is throttled. */
export type Attempt = { readonly taken: boolean; readonly tat: number } | 'throttled'

/** Conditional updates of one bucket; all times in microseconds. Any failure but throttling is storage trouble. */
export interface BucketStore {
  /** For a full bucket: if there is none or its TAT is not after `now`, sets it to `tat`. */
  restart(key: string, to: { now: number; tat: number }, signal: AbortSignal): Promise<Attempt>
  /** For a used bucket: if its TAT is after `now` and at most `latest`, adds `interval`. */
  advance(
    key: string,
    by: { now: number; latest: number; interval: number },
    signal: AbortSignal,
  ): Promise<Attempt>
  /** If the TAT is `found` or later, sets it to `tat`; false when it is earlier, or the item is throttled. */
  replace(key: string, by: { found: number; tat: number }, signal: AbortSignal): Promise<boolean>
  /** Resolves when the table answers; writes nothing. */
  ping(signal: AbortSignal): Promise<void>
}

const throttlings = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']

/** DynamoDB's TTL only tidies up: a bucket that nobody has used since it was full is worth as much as none. */
const tidyAfterSec = 3_600

/** A bucket store in one table. */
export function createBucketStore(client: DynamoDBClient, table: string): BucketStore {
  async function update(
    key: string,
    expressions: { assignment: string; condition: string; latestTat: number; values: Record<string, number> },
    signal: AbortSignal,
  ): Promise<Attempt> {
    const ttl = Math.ceil(expressions.latestTat / 1_000_000) + tidyAfterSec
    const request = new UpdateItemCommand({
      TableName: table,
      Key: { pk: { S: key } },
      UpdateExpression: `SET #tat = ${expressions.assignment}, #ttl = :ttl`,
      ConditionExpression: expressions.condition,
      ExpressionAttributeNames: { '#tat': 'tat', '#ttl': 'expiresAtSec' },
      ExpressionAttributeValues: numbers({ ...expressions.values, ttl }),
      ReturnValues: 'UPDATED_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    try {
      const { Attributes } = await client.send(request, { abortSignal: signal })
      return { taken: true, tat: readTat(Attributes) }
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return { taken: false, tat: error.Item ? readTat(error.Item) : 0 }
      }
      if (error instanceof Error && throttlings.includes(error.name)) return 'throttled'
      throw unavailable('UpdateItem of a token bucket failed', error)
    }
  }

  return {
    restart(key, { now, tat }, signal) {
      const condition = 'attribute_not_exists(#tat) OR #tat <= :now'
      return update(key, { assignment: ':tat', condition, latestTat: tat, values: { now, tat } }, signal)
    },
    advance(key, { now, latest, interval }, signal) {
      const condition = '#tat > :now AND #tat <= :latest'
      const values = { now, latest, interval }
      return update(
        key,
        { assignment: '#tat + :interval', condition, latestTat: latest + interval, values },
        signal,
      )
    },
    async replace(key, { found, tat }, signal) {
      const values = { found, tat }
      const attempt = await update(
        key,
        { assignment: ':tat', condition: '#tat >= :found', latestTat: tat, values },
        signal,
      )
      return attempt !== 'throttled' && attempt.taken
    },
    async ping(signal) {
      const request = new UpdateItemCommand({
        TableName: table,
        Key: { pk: { S: 'readyz' } },
        UpdateExpression: 'SET #tat = #tat',
        ConditionExpression: 'attribute_exists(#tat)',
        ExpressionAttributeNames: { '#tat': 'tat' },
      })
      try {
        await client.send(request, { abortSignal: signal })
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
      }
    },
  }
}

/** One beyond the numbers that are exact counts as the last of them: it is impossible just the same. */
function readTat(item: Record<string, AttributeValue> | undefined): number {
  const tat = Number(item?.tat?.N)
  if (!Number.isInteger(tat)) throw unavailable('A token bucket holds no whole number')
  return Math.min(tat, Number.MAX_SAFE_INTEGER)
}

function numbers(values: Record<string, number>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, { N: String(value) }]))
}
