import { expect, test } from 'vitest'
import { FileResolverError } from '../../lib/host/errors.ts'
import { isRateLimited, retryAfterMs } from '../../lib/host/throttled.ts'

const limited = (data?: Record<string, unknown>) => new FileResolverError(-32004, 'Rate limited', { data })

test('-32004 with a positive whole delay is throttling', () => {
  expect(isRateLimited(limited({ retryAfterMs: 1 }))).toBe(true)
  expect(isRateLimited(limited({ retryAfterMs: 250 }))).toBe(true)
})

test.each([
  ['no data', undefined],
  ['a version mismatch of a draft', { supported: ['2025-11-25'], requested: '2024-01-01' }],
  ['zero', { retryAfterMs: 0 }],
  ['a negative delay', { retryAfterMs: -5 }],
  ['a fraction', { retryAfterMs: 0.5 }],
  ['a string', { retryAfterMs: '50' }],
])('-32004 with %s is not throttling', (_what, data) => {
  expect(isRateLimited(limited(data))).toBe(false)
})

test('another number is not throttling, whatever its data', () => {
  expect(isRateLimited(new FileResolverError(-32005, 'x', { data: { retryAfterMs: 50 } }))).toBe(false)
  expect(isRateLimited(undefined)).toBe(false)
})

test.each([
  [250, 250],
  [50.2, 51],
  [0, 50],
  [-1, 50],
  [Number.NaN, 50],
  ['50', 50],
  [undefined, 50],
  [1e12, 30_000],
  [Number.POSITIVE_INFINITY, 30_000],
])('a delay of %s is waited for as %i ms', (given, expected) => {
  expect(retryAfterMs(limited({ retryAfterMs: given }))).toBe(expected)
})

test('floor and ceiling can be chosen, and hold for an error without data', () => {
  expect(retryAfterMs(limited(), 200)).toBe(200)
  expect(retryAfterMs(limited({ retryAfterMs: 9_000 }), 200, 1_000)).toBe(1_000)
})
