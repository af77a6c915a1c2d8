/**
 * Faults of token buckets met in public (group F of the collection), against the real store with the test's clocks.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDynamo } from '../../functions/wiring.ts'
import { type BucketStore, createBucketStore } from '../../lib/buckets.ts'
import { ResolverError } from '../../lib/errors.ts'
import { createThrottle, type Rate } from '../../lib/throttle.ts'
import { type Service, startService } from '../harness.ts'

const epochMs = 1_900_000_000_000
let service: Service
let buckets: BucketStore
beforeAll(async () => {
  service = await startService()
  buckets = createBucketStore(createDynamo(), 'buckets')
})
afterAll(() => service.close())

/** One instance of the service, whose clock is `nowMs`; a call gives 0 or the milliseconds that it was told to wait. */
function instance(rate: Rate) {
  const throttle = createThrottle(buckets, rate, { now: () => own.nowMs })
  const own = {
    nowMs: epochMs,
    async call(serverId: string): Promise<number> {
      try {
        await throttle.take({ workspaceId: 'acme', userId: 'ana', serverId })
        return 0
      } catch (error) {
        if (!(error instanceof ResolverError) || error.code !== 'rate-limited') throw error
        return Number(error.data?.retryAfterMs)
      }
    },
    async calls(serverId: string, times: number): Promise<number[]> {
      const waits: number[] = []
      for (let i = 0; i < times; i += 1) waits.push(await own.call(serverId))
      return waits
    },
  }
  return own
}

const admitted = (waits: number[]) => waits.filter((wait) => wait === 0).length

test('a clock that steps back by eleven seconds refuses nobody for it, and promises no longer than a burst (F01)', async () => {
  const one = instance({ perSecond: 1, burst: 5 })
  expect(await one.calls('back', 3)).toEqual([0, 0, 0])
  one.nowMs -= 11_000
  expect(await one.calls('back', 2)).toEqual([0, 0])
  const waitMs = await one.call('back')
  expect(waitMs).toBeGreaterThanOrEqual(1)
  expect(waitMs).toBeLessThanOrEqual(5_000)
})

test('two instances whose clocks are two seconds apart neither lose tokens nor mint any (F01)', async () => {
  const [ahead, behind] = [instance({ perSecond: 1, burst: 5 }), instance({ perSecond: 1, burst: 5 })]
  behind.nowMs -= 2_000
  for (let round = 0; round < 3; round += 1) {
    const waits: number[] = []
    for (let i = 0; i < 10; i += 1) {
      waits.push(await ahead.call('apart'), await behind.call('apart'))
    }
    expect(admitted(waits)).toBeGreaterThanOrEqual(5)
    expect(admitted(waits)).toBeLessThanOrEqual(7)
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000)
    ahead.nowMs += 10_000
    behind.nowMs += 10_000
  }
})

test('a clock that jumps an hour ahead gains one burst, and locks nobody out (F03)', async () => {
  const [jumped, right] = [instance({ perSecond: 1, burst: 5 }), instance({ perSecond: 1, burst: 5 })]
  jumped.nowMs += 3_600_000
  expect(admitted(await jumped.calls('jump', 20))).toBe(5)
  expect(await right.call('jump')).toBe(1_000)
  right.nowMs += 1_000
  expect(await right.calls('jump', 2)).toEqual([0, 1_000])
})

test('two instances share one budget (F07)', async () => {
  const [a, b] = [instance({ perSecond: 1, burst: 6 }), instance({ perSecond: 1, burst: 6 })]
  const waits: number[] = []
  for (let i = 0; i < 6; i += 1) waits.push(await a.call('shared'), await b.call('shared'))
  expect(waits).toEqual([0, 0, 0, 0, 0, 0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000])
})

test('whoever polls faster than the refill gets every token of it (F08)', async () => {
  const one = instance({ perSecond: 5, burst: 5 })
  expect(admitted(await one.calls('poll', 10))).toBe(5)
  let count = 0
  for (let polledMs = 0; polledMs < 4_000; polledMs += 20) {
    one.nowMs += 20
    if ((await one.call('poll')) === 0) count += 1
  }
  expect(count).toBe(20)
})
