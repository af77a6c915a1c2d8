import { expect, test } from 'vitest'
import { countOver } from '../../bench/over.ts'

const rate = { perSecond: 10, burst: 2 }

test('what a bucket has tokens for is not over the bound', () => {
  expect(countOver([1_000, 1_000, 1_100, 1_200], rate)).toBe(0)
})

test('each call that found no token is over the bound', () => {
  expect(countOver([1_000, 1_000, 1_000, 1_050, 1_101], rate)).toBe(2)
})

test('a bucket holds no more than its burst, however long nobody asks', () => {
  expect(countOver([1_000, 90_000, 90_000, 90_000], rate)).toBe(1)
})
