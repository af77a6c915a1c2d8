/**
 * The simulated table and time, and what the trials on them are there to show.
 */
import { expect, test } from 'vitest'
import { createPartitionedStore } from '../../bench/partitions.ts'
import { runTrial } from '../../bench/trial.ts'
import { createWorld } from '../../bench/world.ts'

const { signal } = new AbortController()

test('a partition takes 1,000 writes at once and 1,000 a second, a refused condition counting as one', async () => {
  const world = createWorld(1)
  const store = createPartitionedStore(world, () => 'one')
  const attempts = (count: number, tat: number) => {
    for (let i = 0; i < count; i += 1) void store.restart('a', { now: 5, tat }, signal)
  }
  attempts(1_200, 10)
  await world.run(1_000)
  expect(store.seen.written).toBe(1_030) // the last of them 30 ms later, repeated by the SDK
  await world.run(3_000)
  attempts(900, 20)
  await world.run(4_000)
  expect(store.seen.written).toBe(1_930)
})

test('partitions have their writes each for itself', async () => {
  const world = createWorld(1)
  const store = createPartitionedStore(world, (key) => key)
  for (const key of ['a', 'b', 'c']) {
    for (let i = 0; i < 900; i += 1) void store.restart(key, { now: 5, tat: 10 }, signal)
  }
  await world.run(1_000)
  expect(store.seen).toEqual({ calls: 2_700, written: 2_700, throttled: 0 })
})

test('virtual time passes in order, and only as far as it is told', async () => {
  const world = createWorld(7, 0)
  const seen: number[] = []
  for (const ms of [30, 10, 20, 41]) void world.sleep(ms).then(() => seen.push(world.now()))
  await world.run(40)
  expect(seen).toEqual([10, 20, 30])
})

const usual = { perSecond: 100, burst: 100 }

test('a flood is admitted at the rate of its bucket, though it takes all writes of the partition', async () => {
  const flood = { what: '', rate: usual, instances: 500, asked: 5_000 }
  const { admitted, writes } = await runTrial(flood)
  expect({ admitted: Math.round(admitted), writes }).toEqual({ admitted: 100, writes: 1_000 })
})

test('a flood starves the buckets beside it until its own is isolated', async () => {
  const flood = { what: '', rate: usual, instances: 500, asked: 5_000, neighbours: 10 }
  expect((await runTrial(flood)).neighbours).toBeLessThan(0.3)
  expect((await runTrial({ ...flood, splitMs: 5_000 })).neighbours).toBeGreaterThan(0.99)
})

test('four servers of 500 a second are all served when each bucket has its partition', async () => {
  const four = { what: '', rate: { perSecond: 500, burst: 500 }, instances: 100, asked: 500, servers: 4 }
  expect((await runTrial(four)).writes).toBe(1_000)
  const { asked, admitted, throttled } = await runTrial({ ...four, splitMs: 0 })
  expect(throttled).toBe(0)
  expect(admitted / asked).toBeGreaterThan(0.99)
})
