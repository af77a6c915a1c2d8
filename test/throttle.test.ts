/**
 * Contract 6 on the real store, with clocks that the tests set: each test has a bucket of its own.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BucketStore, createBucketStore } from '../lib/buckets.ts'
import { ResolverError } from '../lib/errors.ts'
import { createThrottle, type Rate, type Throttle, type ThrottleOptions } from '../lib/throttle.ts'
import { type Service, startService } from './harness.ts'

let service: Service
let client: DynamoDBClient
let store: BucketStore
let calls = 0
beforeAll(async () => {
  service = await startService()
  client = new DynamoDBClient({})
  store = counted(createBucketStore(client, 'buckets'))
})
afterAll(async () => {
  client.destroy()
  await service.close()
})

/** The same store, with its calls counted. */
function counted(inner: BucketStore): BucketStore {
  const count = <A extends unknown[], R>(method: (...args: A) => R) => {
    return (...args: A) => {
      calls += 1
      return method(...args)
    }
  }
  const { restart, advance, replace, ping } = inner
  return { restart: count(restart), advance: count(advance), replace: count(replace), ping }
}

// ahead of the real time, or the emulator would tidy the buckets away as long full
const start = 4_000_000_000_000
let workspaces = 0

/** A bucket that nobody has used, a clock for it, and instances that share both. */
function bucket(rate: Rate) {
  workspaces += 1
  const caller = { workspaceId: `w${workspaces}`, userId: 'ana', serverId: 'reports' }
  const time = { ms: start }
  const instance = (aheadMs = 0, options: ThrottleOptions = {}) =>
    createThrottle(store, rate, { now: () => time.ms + aheadMs, ...options })
  const item = async () => {
    const Key = { pk: { S: `w${workspaces}#reports` } }
    return (await client.send(new GetItemCommand({ TableName: 'buckets', Key }))).Item
  }
  return { caller, time, instance, item, take: (throttle: Throttle) => take(throttle, caller) }
}

/** 0 when admitted, else the promised wait in milliseconds; what is neither is thrown. */
async function take(throttle: Throttle, caller: Parameters<Throttle['take']>[0]): Promise<number> {
  try {
    await throttle.take(caller)
    return 0
  } catch (error) {
    if (!(error instanceof ResolverError && error.code === 'rate-limited')) throw error
    const { retryAfterMs } = error.data ?? {}
    expect(Number.isInteger(retryAfterMs) && Number(retryAfterMs) > 0).toBe(true)
    return Number(retryAfterMs)
  }
}

async function takeMany(throttle: Throttle, times: number, caller: Parameters<Throttle['take']>[0]) {
  const waits: number[] = []
  for (let i = 0; i < times; i += 1) waits.push(await take(throttle, caller))
  return waits
}

describe('a bucket', () => {
  test('holds its burst, and is refilled at its rate, to the millisecond', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 3 })
    const throttle = instance()
    expect(await takeMany(throttle, 5, caller)).toEqual([0, 0, 0, 100, 100])
    time.ms += 99
    expect(await take(throttle)).toBe(1)
    time.ms += 1
    expect(await takeMany(throttle, 2, caller)).toEqual([0, 100])
    time.ms += 250
    expect(await takeMany(throttle, 3, caller)).toEqual([0, 0, 50])
  })

  test('holds no more than its burst after a long time', async () => {
    const { caller, time, instance } = bucket({ perSecond: 10, burst: 3 })
    const throttle = instance()
    await takeMany(throttle, 3, caller)
    time.ms += 3_600_000
    expect(await takeMany(throttle, 4, caller)).toEqual([0, 0, 0, 100])
  })

  test('of one token is refilled too', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 1, burst: 1 })
    const throttle = instance()
    expect(await takeMany(throttle, 2, caller)).toEqual([0, 1_000])
    time.ms += 1_000
    expect(await take(throttle)).toBe(0)
  })

  test('loses nothing by refusals, whoever is refused', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 2 })
    await takeMany(instance(), 2, caller)
    for (let i = 0; i < 20; i += 1) expect(await take(instance())).toBe(100)
    time.ms += 100
    expect(await take(instance())).toBe(0)
    expect(await take(instance())).toBe(100)
  })

  test.each([
    ['one instance', false],
    ['ever new instances', true],
  ])('loses no fraction of a token to those who ask too often: %s', async (_, fresh) => {
    const { caller, time, instance, take } = bucket({ perSecond: 5, burst: 1 })
    let throttle = instance()
    await takeMany(throttle, 1, caller)
    let admitted = 0
    for (let i = 0; i < 200; i += 1) {
      time.ms += 20
      if (fresh) throttle = instance()
      if ((await take(throttle)) === 0) admitted += 1
    }
    expect(admitted).toBe(20)
  })

  test('is one for each workspace and server', async () => {
    const { caller, instance } = bucket({ perSecond: 1, burst: 1 })
    const throttle = instance()
    const a = { ...caller, serverId: 'a' }
    expect(await take(throttle, a)).toBe(0)
    expect(await take(throttle, { ...a, userId: 'bob' })).toBe(1_000)
    expect(await take(throttle, { ...a, serverId: 'b' })).toBe(0)
    expect(await take(throttle, { ...a, workspaceId: 'another' })).toBe(0)
    expect(await take(throttle, { ...a, workspaceId: `${a.workspaceId}#a`, serverId: 'a' })).toBe(0)
    expect(await take(throttle, { ...a, serverId: 'a#a' })).toBe(0)
  })

  test('is the same after a restart', async () => {
    const { caller, instance } = bucket({ perSecond: 1, burst: 2 })
    await takeMany(instance(), 2, caller)
    const otherClient = new DynamoDBClient({})
    const restarted = createThrottle(
      createBucketStore(otherClient, 'buckets'),
      { perSecond: 1, burst: 2 },
      { now: () => start },
    )
    expect(await take(restarted, caller)).toBe(1_000)
    otherClient.destroy()
  })

  test('is forgotten by the store only after it has long been full', async () => {
    const { caller, instance, item } = bucket({ perSecond: 1, burst: 60 })
    await takeMany(instance(), 30, caller)
    expect(Number((await item())?.expiresAtSec?.N)).toBeGreaterThan(4_000_000_000 + 60)
    expect(Number((await item())?.expiresAtSec?.N)).toBeLessThan(4_000_000_000 + 86_400)
    expect((await item())?.tat?.N).toBe('4000000030000000')
  })
})

describe('calls of the store', () => {
  test('are one for each admission from a bucket in use', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 100 })
    const throttle = instance()
    calls = 0
    for (let i = 0; i < 100; i += 1) {
      time.ms += 50
      expect(await take(throttle)).toBe(0)
    }
    expect(calls).toBe(100)
    await takeMany(instance(), 1, caller)
    expect(calls).toBe(102) // a new instance guesses that the bucket is full, and learns
  })

  test('are one for each admission from a bucket that is full again each time', async () => {
    const { time, instance, take } = bucket({ perSecond: 10, burst: 5 })
    const throttle = instance()
    calls = 0
    for (let i = 0; i < 50; i += 1) {
      time.ms += 1_000
      expect(await take(throttle)).toBe(0)
    }
    expect(calls).toBe(50)
  })

  test('guess right for those who come while the first asks', async () => {
    const { caller } = bucket({ perSecond: 10, burst: 5 })
    const asked: string[] = []
    const recording: BucketStore = {
      ...store,
      restart: (...args) => {
        asked.push('restart')
        return store.restart(...args)
      },
      advance: (...args) => {
        asked.push('advance')
        return store.advance(...args)
      },
    }
    const throttle = createThrottle(recording, { perSecond: 10, burst: 5 }, { now: () => start })
    const taken = [take(throttle, caller), take(throttle, caller), take(throttle, caller)]
    expect(asked).toEqual(['restart', 'advance', 'advance'])
    expect(await Promise.all(taken)).toEqual([0, 0, 0])
  })

  test('are none for callers who come while the last tokens are being asked for', async () => {
    const { time, instance, take } = bucket({ perSecond: 10, burst: 2 })
    const throttle = instance()
    calls = 0
    const together = () => Promise.all(Array.from({ length: 8 }, () => take(throttle)))
    expect(await together()).toEqual([0, 0, 100, 100, 100, 100, 100, 100])
    expect(calls).toBe(2)
    time.ms += 100
    expect(await together()).toEqual([0, 100, 100, 100, 100, 100, 100, 100])
    expect(calls).toBe(3)
  })

  test('are asked for again when a call that was under way has failed', async () => {
    const { caller, instance } = bucket({ perSecond: 1, burst: 1 })
    let fails = true
    const failing: BucketStore = {
      ...store,
      restart: (...args) => (fails ? Promise.reject(new Error('down')) : store.restart(...args)),
    }
    const throttle = createThrottle(failing, { perSecond: 1, burst: 1 }, { now: () => start })
    await expect(throttle.take(caller)).rejects.toThrow('down')
    fails = false
    expect(await take(throttle, caller)).toBe(0)
    expect(await take(instance(), caller)).toBe(1_000)
  })

  test('are none for a refusal that is remembered, until the moment that it promised', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 1 })
    const throttle = instance()
    await takeMany(throttle, 2, caller)
    calls = 0
    time.ms += 60
    expect(await takeMany(throttle, 30, caller)).toEqual(Array(30).fill(40))
    expect(calls).toBe(0)
    expect(await take(instance())).toBe(40)
    expect(calls).toBeGreaterThan(0)
    time.ms += 40
    expect(await take(throttle)).toBe(0)
  })
})

test('no interval admits more than burst + rate · (t + d), and each promise is kept', async () => {
  const rates = fc.record({
    perSecond: fc.constantFrom(1, 3, 7, 50, 1_000),
    burst: fc.constantFrom(1, 2, 5, 30),
  })
  const aheads = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 4 })
  const steps = fc.array(
    fc.record({
      who: fc.nat(3),
      waits: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(1_500)),
      times: fc.integer({ min: 1, max: 6 }),
    }),
    { minLength: 5, maxLength: 14 },
  )
  await fc.assert(
    fc.asyncProperty(rates, aheads, steps, async (rate, aheadMs, schedule) => {
      const { time, instance, take } = bucket(rate)
      const instances = aheadMs.map((ms) => instance(ms))
      const dMs = Math.max(...aheadMs) - Math.min(...aheadMs)
      const admitted: number[] = []
      for (const { who, waits, times } of schedule) {
        time.ms += waits
        const throttle = instances[who % instances.length] ?? instance()
        let wait = 0
        for (let i = 0; i < times && wait === 0; i += 1) {
          wait = await take(throttle)
          if (wait === 0) admitted.push(time.ms)
        }
        if (wait === 0) continue
        time.ms += wait
        expect(await take(throttle)).toBe(0)
        admitted.push(time.ms)
      }
      for (const [i, from] of admitted.entries()) {
        for (let j = i; j < admitted.length; j += 1) {
          const tMs = (admitted[j] ?? 0) - from
          expect(j - i + 1).toBeLessThanOrEqual(rate.burst + (rate.perSecond * (tMs + dMs)) / 1_000)
        }
      }
    }),
    { numRuns: 25 },
  )
})

test('a promise is no longer than it must be', async () => {
  const { caller, time, instance, take } = bucket({ perSecond: 3, burst: 4 })
  await takeMany(instance(), 4, caller)
  time.ms += 77
  const wait = await take(instance())
  time.ms += wait - 1
  expect(await take(instance())).toBe(1)
  time.ms += 1
  expect(await take(instance())).toBe(0)
})

test('many callers at once, on instances whose clocks are a second apart, stay within the bound', async () => {
  const rate = { perSecond: 40, burst: 20 }
  const { caller } = bucket(rate)
  const beganMs = performance.now()
  const untilMs = beganMs + 1_500
  let admitted = 0
  const callers = [-500, -200, 0, 500].flatMap((aheadMs) => {
    const throttle = createThrottle(store, rate, { now: () => Date.now() + aheadMs })
    return Array.from({ length: 8 }, async () => {
      while (performance.now() < untilMs) {
        const wait = await take(throttle, caller).catch(() => 25) // a store too slow for a loaded machine admits nobody
        if (wait === 0) admitted += 1
        else await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 25)))
      }
    })
  })
  await Promise.all(callers)
  const tookSec = (performance.now() - beganMs) / 1_000
  expect(admitted).toBeGreaterThanOrEqual(20)
  expect(admitted).toBeLessThanOrEqual(20 + 40 * (tookSec + 1))
})

test('two dozen callers in the same moment get exactly the burst', async () => {
  const { caller, instance } = bucket({ perSecond: 1, burst: 15 })
  const instances = Array.from({ length: 5 }, () => instance())
  const waits = await Promise.all(
    Array.from({ length: 24 }, (_, i) => take(instances[i % 5] ?? instance(), caller)),
  )
  expect(waits.filter((wait) => wait === 0)).toHaveLength(15)
  expect(new Set(waits)).toEqual(new Set([0, 1_000]))
})

describe('a clock that is set back', () => {
  test('by eleven seconds refuses nobody', async () => {
    const { caller, time, instance } = bucket({ perSecond: 100, burst: 1_000 })
    const throttle = instance()
    await takeMany(throttle, 3, caller)
    time.ms -= 11_000
    expect(await takeMany(throttle, 5, caller)).toEqual([0, 0, 0, 0, 0])
  })

  test.each([11_000, 59_000, 61_000, 3_600_000])(
    'by %i ms goes on refilling, and its promises are kept',
    async (backMs) => {
      const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 10 })
      const throttle = instance()
      expect(await takeMany(throttle, 11, caller)).toEqual([...Array(10).fill(0), 100])
      time.ms -= backMs
      let admitted = 0
      for (let i = 0; i < 40; i += 1) {
        const wait = await take(throttle)
        expect(wait).toBeLessThanOrEqual(1_000)
        if (wait === 0) admitted += 1
        else {
          time.ms += wait
          expect(await take(throttle)).toBe(0)
        }
      }
      expect(admitted).toBeLessThanOrEqual(1)
    },
  )

  test('mints nothing, and is believed again once time has caught up', async () => {
    const { time, instance, take } = bucket({ perSecond: 10, burst: 10 })
    const throttle = instance()
    const untilMs = time.ms + 60_000
    const beganMs = time.ms
    let admitted = 0
    let realMs = 0
    while (time.ms < untilMs) {
      if (realMs === 5_000) time.ms -= 11_000
      if ((await take(throttle)) === 0) admitted += 1
      time.ms += 100
      realMs += 100
    }
    expect(realMs).toBe(71_000)
    expect(beganMs).toBe(start)
    // at most what 71 s are worth; the eleven seconds are lost little by little
    expect(admitted).toBeLessThanOrEqual(10 + 710)
    expect(admitted).toBeGreaterThanOrEqual(600)
  })
})

test('clocks two seconds apart that take turns neither lose tokens nor mint any', async () => {
  const { time, instance, take } = bucket({ perSecond: 2, burst: 20 })
  const instances = [instance(), instance(-2_000)]
  let admitted = 0
  for (let i = 0; i < 300; i += 1) {
    time.ms += 100
    for (const throttle of instances) {
      const wait = await take(throttle)
      if (wait === 0) admitted += 1
      expect(wait).toBeLessThanOrEqual(10_000)
    }
  }
  expect(admitted).toBeGreaterThanOrEqual(20 + 59)
  expect(admitted).toBeLessThanOrEqual(20 + 2 * (30 + 2))
})

describe('a clock that is far ahead', () => {
  test('gains its instance one burst, and locks nobody else out', async () => {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 5 })
    const reported: string[] = []
    const other = instance(0, { onImpossibleState: (key) => reported.push(key) })
    const wrong = { aheadMs: 0 }
    const jumping = createThrottle(store, { perSecond: 10, burst: 5 }, { now: () => time.ms + wrong.aheadMs })
    await takeMany(jumping, 5, caller)
    wrong.aheadMs = 3_600_000
    expect(await takeMany(jumping, 6, caller)).toEqual([0, 0, 0, 0, 0, 100])
    expect(await take(other)).toBe(100)
    expect(reported).toEqual([`${caller.workspaceId}#reports`])
    time.ms += 100
    expect(await takeMany(other, 2, caller)).toEqual([0, 100])
    wrong.aheadMs = 0
    time.ms += 100
    expect(await take(jumping)).toBe(0)
    expect(reported).toHaveLength(1)
  })

  test.each([
    ['no further than a full bucket and two seconds: believed', 0, 2_100, 0],
    ['a microsecond further: replaced by an empty bucket of now', 1, 100, 1],
  ])('has written a state %s', async (_, beyondUs, expectedWait, reports) => {
    const { caller, instance, take, item } = bucket({ perSecond: 10, burst: 5 })
    const tat = (start + 500 + 2_000) * 1_000 + beyondUs
    await store.restart(`${caller.workspaceId}#reports`, { now: 1, tat }, AbortSignal.timeout(5_000))
    const reported: string[] = []
    expect(await take(instance(0, { onImpossibleState: (key) => reported.push(key) }))).toBe(expectedWait)
    expect(reported).toHaveLength(reports)
    expect((await item())?.tat?.N).toBe(reports === 0 ? '4000000002500000' : '4000000000500000')
  })
})

test.each([
  [0, 1_000],
  [0.5, 1_125],
  [0.999, 1_249],
])('a throttled item is refused with a second and up to a quarter more (%d: %d ms)', async (draw, waitMs) => {
  const throttled = async () => 'throttled' as const
  const { caller } = bucket({ perSecond: 10, burst: 5 })
  const throttle = createThrottle(
    { ...store, restart: throttled, advance: throttled },
    { perSecond: 10, burst: 5 },
    { random: () => draw },
  )
  expect(await take(throttle, caller)).toBe(waitMs)
})

test('the state that was impossible is replaced by two calls, and the refusal needs no third', async () => {
  const { caller, instance, take } = bucket({ perSecond: 10, burst: 5 })
  const tat = (start + 3_600_000) * 1_000
  await store.restart(`${caller.workspaceId}#reports`, { now: 1, tat }, AbortSignal.timeout(5_000))
  const before = calls
  expect(await take(instance())).toBe(100)
  expect(calls - before).toBe(2)
})

test('a state beyond all numbers that are exact is impossible too, and locks nobody out', async () => {
  for (const tat of ['9007199254740993', '9200000000000000000', '1e30', `1${'0'.repeat(36)}1`]) {
    const { caller, time, instance, take } = bucket({ perSecond: 10, burst: 5 })
    const Item = { pk: { S: `${caller.workspaceId}#reports` }, tat: { N: tat } }
    await client.send(new PutItemCommand({ TableName: 'buckets', Item }))
    const told: string[] = []
    const throttle = instance(0, { onImpossibleState: (key) => told.push(key) })
    expect(await take(throttle)).toBe(100)
    expect(told).toEqual([`${caller.workspaceId}#reports`])
    time.ms += 100
    expect(await take(throttle)).toBe(0)
  }
})
