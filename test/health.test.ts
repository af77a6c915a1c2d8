/**
 * Readiness: which part fails, how long a result is kept, and that the public causes no calls.
 */
import { expect, test } from 'vitest'
import { createHealth } from '../lib/health.ts'
import type { Log } from '../lib/log.ts'

const quiet: Log = () => {}

test('it names the parts that fail, in order, and logs why', async () => {
  const lines: unknown[] = []
  const health = createHealth(
    [
      { name: 'bucket', ping: () => Promise.reject(new Error('refused')) },
      { name: 'files table', ping: async () => {} },
      {
        name: 'buckets table',
        ping: () => {
          throw new Error('broken')
        },
      },
    ],
    (...line) => lines.push(line),
  )
  expect(await health()).toEqual(['bucket', 'buckets table'])
  expect(lines).toContainEqual(['error', 'not-ready', { part: 'bucket', error: 'Error: refused' }])
})

test('a result is kept for ten seconds and no longer', async () => {
  let nowMs = 1_000
  let pings = 0
  let fails = false
  const ping = async () => {
    pings += 1
    if (fails) throw new Error('down')
  }
  const health = createHealth([{ name: 'bucket', ping }], quiet, { now: () => nowMs })
  expect(await health()).toEqual([])
  fails = true
  nowMs += 9_999
  expect(await health()).toEqual([])
  expect(pings).toBe(1)
  nowMs += 1
  expect(await health()).toEqual(['bucket'])
  fails = false
  nowMs += 9_999
  expect(await health()).toEqual(['bucket'])
  nowMs += 1
  expect(await health()).toEqual([])
  expect(pings).toBe(3)
})

test('a clock that is set back makes no result last longer', async () => {
  let nowMs = 9_000_000
  let fails = false
  const ping = async () => {
    if (fails) throw new Error('down')
  }
  const health = createHealth([{ name: 'bucket', ping }], quiet, { now: () => nowMs })
  expect(await health()).toEqual([])
  fails = true
  nowMs -= 3_600_000
  expect(await health()).toEqual(['bucket'])
})

test('all who ask at once share one probe', async () => {
  let pings = 0
  const ping = async () => {
    pings += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const health = createHealth([{ name: 'bucket', ping }], quiet)
  await Promise.all(Array.from({ length: 50 }, health))
  expect(pings).toBe(1)
})

test('a part that does not answer in time fails', async () => {
  const ping = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const health = createHealth([{ name: 'bucket', ping }], quiet, { timeoutMs: 10 })
  expect(await health()).toEqual(['bucket'])
})
