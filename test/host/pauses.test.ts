import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../lib/host/exchange.ts'
import { pause, pauseBefore } from '../../lib/host/pauses.ts'

test('a failed connection is tried again within a bound that doubles, up to two seconds', () => {
  const bounds = [1, 2, 3, 4, 5, 6].map((attempt) => pauseBefore(undefined, attempt, 5_000, () => 1))
  expect(bounds).toEqual([200, 400, 800, 1_600, 2_000, 2_000])
  expect(pauseBefore(undefined, 3, 5_000, () => 0.25)).toBe(200)
})

test('a pause that the service asks for is kept, with jitter on top and never below', () => {
  expect(pauseBefore(1_000, 1, 5_000, () => 0)).toBe(1_000)
  expect(pauseBefore(1_000, 1, 5_000, () => 1)).toBe(1_250)
  expect(pauseBefore(0, 1, 5_000, () => 1)).toBe(100)
})

test('a pause longer than the host waits is no pause', () => {
  expect(pauseBefore(5_000, 1, 5_000, () => 0)).toBe(5_000)
  expect(pauseBefore(5_001, 1, 5_000, () => 0)).toBeUndefined()
})

test.each([
  ['0', 0],
  ['7', 7_000],
  ['Tue, 01 Dec 2026 00:00:05 GMT', 5_000],
  ['Mon, 30 Nov 2026 00:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  ['7.5', undefined],
  ['-1', undefined],
  ['9999999999999', undefined],
  [null, undefined],
])('Retry-After %j is %s ms', (header, expected) => {
  expect(parseRetryAfter(header, Date.UTC(2026, 11, 1))).toBe(expected)
})

test('a wait ends with the reason of its signal', async () => {
  const abort = new AbortController()
  const waiting = pause(60_000, abort.signal)
  abort.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow('given up')
  await expect(pause(60_000, abort.signal)).rejects.toThrow('given up')
})
