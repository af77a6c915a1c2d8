/**
 * The permutation test on times whose difference is known.
 */
import { expect, test } from 'vitest'
import { type Pair, testQuantile } from './permutation.ts'

/** Numbers in [0, 1) that a seed decides (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Pairs of times around 3 ms with a long tail; `b` takes `moreMs` more. */
function pairs(count: number, moreMs: number, seed: number): Pair[] {
  const random = numbers(seed)
  const time = () => 2 + 1.5 * random() - 0.5 * Math.log(1 - random())
  return Array.from({ length: count }, () => ({ a: time(), b: time() + moreMs }))
}

const options = { rounds: 200, random: numbers(7) }

test('the same times are told to be the same', () => {
  const same = pairs(4_000, 0, 1)
  expect(testQuantile(same, 0.5, options).p).toBeGreaterThan(0.01)
  expect(testQuantile(same, 0.95, options).p).toBeGreaterThan(0.01)
})

test('0.2 ms more are found in the median and in the 95th percentile', () => {
  const slower = pairs(10_000, 0.2, 2)
  const median = testQuantile(slower, 0.5, options)
  expect(median.p).toBeLessThan(0.01)
  expect(median.differenceMs).toBeCloseTo(0.2, 1)
  expect(testQuantile(slower, 0.95, options).p).toBeLessThan(0.01)
})
