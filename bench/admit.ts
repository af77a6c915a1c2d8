/**
 * Admission: store calls for each admitted request, and throughput against rate-limiter-flexible on the same kind of
 * table. Both limiters run in this process, since the limiter is what is measured; the table in another.
 */
import { randomUUID } from 'node:crypto'
import {
  CreateTableCommand,
  DynamoDB,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { RateLimiterDynamo, RateLimiterRes } from 'rate-limiter-flexible'
import { createDynamo } from '../functions/wiring.ts'
import type { BucketStore } from '../lib/buckets.ts'
import { createBucketStore } from '../lib/buckets.ts'
import { ResolverError } from '../lib/errors.ts'
import { createThrottle, type Rate } from '../lib/throttle.ts'
import { startFixture } from './fixture.ts'
import { shareOverAdmitted } from './over.ts'
import type { Result } from './report.ts'
import { figureOf, ratioOf } from './stats.ts'

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))
const one = (value: number) => ({ median: value, low: value, high: value })

/** Measures; `rounds` is how often the two limiters take turns, for `roundMs` each. */
export async function benchAdmission(rounds: number, roundMs: number): Promise<Result[]> {
  const fixture = await startFixture()
  const client = createDynamo()
  const results = [...(await countCalls(client)), ...(await compare(client, rounds, roundMs))]
  fixture.stop()
  return results
}

/** Counts every call that reaches the store. */
function counted(store: BucketStore): BucketStore & { calls(): number } {
  let calls = 0
  const count =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      calls += 1
      return call(...args)
    }
  return {
    restart: count(store.restart),
    advance: count(store.advance),
    replace: count(store.replace),
    ping: store.ping,
    calls: () => calls,
  }
}

const newCaller = () => ({ workspaceId: 'bench', userId: 'ana', serverId: randomUUID() })

async function countCalls(client: DynamoDBClient): Promise<Result[]> {
  const setting = (rate: Rate) => {
    const store = counted(createBucketStore(client, 'bench-buckets'))
    return { store, throttle: createThrottle(store, rate), caller: newCaller() }
  }

  const hot = setting({ perSecond: 100, burst: 100_000 })
  for (let i = 0; i < 2_000; i += 1) await hot.throttle.take(hot.caller)

  const idle = setting({ perSecond: 1_000, burst: 1_000 })
  for (let i = 0; i < 300; i += 1) {
    await idle.throttle.take(idle.caller)
    await sleep(5)
  }

  const hovering = setting({ perSecond: 100, burst: 10 })
  let admitted = 0
  const until = Date.now() + 8_000
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (Date.now() < until) {
        const waitMs = await attempt(() => hovering.throttle.take(hovering.caller))
        if (waitMs === 0) admitted += 1
        else await sleep(waitMs)
      }
    }),
  )

  const crowd = setting({ perSecond: 100, burst: 10 })
  let served = 0
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      for (;;) {
        const waitMs = await attempt(() => crowd.throttle.take(crowd.caller))
        if (waitMs === 0) break
        await sleep(waitMs + Math.random() * 1_000) // as the documentation advises
      }
      served += 1
    }),
  )
  return [
    { what: 'admission calls, bucket in use', figure: one(hot.store.calls() / 2_000), most: 1.001 },
    { what: 'admission calls, bucket full', figure: one(idle.store.calls() / 300), most: 1.1 },
    { what: 'admission calls, hovering at empty', figure: one(hovering.store.calls() / admitted), most: 1.5 },
    { what: 'admission calls, 200 waiters', figure: one(crowd.store.calls() / served), most: 6 },
  ]
}

/** Milliseconds to wait, 0 when it was admitted. */
async function attempt(take: () => Promise<void>): Promise<number> {
  try {
    await take()
    return 0
  } catch (error) {
    const retryAfterMs = error instanceof ResolverError ? Number(error.data?.retryAfterMs) : Number.NaN
    if (!Number.isFinite(retryAfterMs)) throw error
    return retryAfterMs
  }
}

async function compare(client: DynamoDBClient, rounds: number, roundMs: number): Promise<Result[]> {
  const TableName = 'bench-peer'
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName })
  const ample = { perSecond: 10_000, burst: 1_000_000 }
  const peer = new RateLimiterDynamo({
    storeClient: new DynamoDB({ requestHandler: { httpAgent: { maxSockets: 512 } } }),
    tableName: TableName,
    tableCreated: true,
    points: 1_000_000,
    duration: 100,
  })

  async function run(take: () => Promise<unknown>): Promise<number> {
    let admitted = 0
    const until = Date.now() + roundMs
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (Date.now() < until) {
          await take()
          admitted += 1
        }
      }),
    )
    return admitted
  }

  const ours: number[] = []
  const theirs: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const throttle = createThrottle(createBucketStore(client, 'bench-buckets'), ample)
    const caller = newCaller()
    const turns = [
      async () => ours.push(await run(() => throttle.take(caller))),
      async () => theirs.push(await run(() => peer.consume(caller.serverId))),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  ours.shift()
  theirs.shift()
  const tight = { perSecond: 100, burst: 100 }
  const exact = createThrottle(createBucketStore(client, 'bench-buckets'), tight)
  const caller = newCaller()
  const windows = new RateLimiterDynamo({
    storeClient: new DynamoDB({}),
    tableName: TableName,
    tableCreated: true,
    points: 100,
    duration: 1,
  })
  const oursOver = await shareOverAdmitted(() => attempt(() => exact.take(caller)), tight)
  const theirsOver = await shareOverAdmitted(() => consume(windows, caller.serverId), tight)
  return [
    { what: 'admitted over the bound, ours', figure: one(oursOver), most: 0.01 },
    { what: 'admitted over the bound, rate-limiter-flexible', figure: one(theirsOver) },
    { what: 'admissions ÷ rate-limiter-flexible', figure: ratioOf(ours, theirs), least: 1 },
    { what: 'admissions a second, ours', figure: figureOf(ours.map((n) => (n * 1_000) / roundMs)) },
  ]
}

async function consume(limiter: RateLimiterDynamo, key: string): Promise<number> {
  try {
    await limiter.consume(key)
    return 0
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext)
    throw refusal
  }
}
