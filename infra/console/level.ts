/**
 * How full a token bucket is, read from the item that all instances share, without taking anything from it.
 */
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { bucketKey } from '../../lib/keys.ts'
import type { Rate } from '../../lib/throttle.ts'

/** Tokens that are there now, and how fast they come back. */
export interface Level extends Rate {
  readonly tokens: number
}

/** The level of the bucket of a server in a workspace at `nowMs`; one that was never used is full. */
export async function readLevel(
  client: DynamoDBClient,
  table: string,
  rate: Rate,
  caller: { workspaceId: string; serverId: string },
  nowMs: number,
): Promise<Level> {
  const key = { pk: { S: bucketKey(caller.workspaceId, caller.serverId) } }
  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }))
  return { ...rate, tokens: tokensAt(Number(Item?.tat?.N ?? 0), rate, nowMs) }
}

/** Tokens of a bucket that will be full at `tatUs` (see lib/throttle.ts), in whole tokens. */
export function tokensAt(tatUs: number, { perSecond, burst }: Rate, nowMs: number): number {
  const intervalUs = Math.ceil(1_000_000 / perSecond)
  const missing = Math.max(0, tatUs - nowMs * 1_000) / intervalUs
  return Math.max(0, Math.floor(burst - missing))
}
