import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClock } from '../lib/clock.ts'

function started(atMs: number) {
  const wall = { ms: atMs }
  const clock = createClock(() => wall.ms)
  clock.nowUs()
  return { wall, clock }
}

test('is the wall clock, in microseconds, as long as that goes forward', () => {
  const { wall, clock } = started(1_000)
  expect(clock.nowUs()).toBe(1_000_000)
  wall.ms = 1_000.25
  expect(clock.nowUs()).toBe(1_000_250)
  wall.ms = 9_000_000
  expect(clock.nowUs()).toBe(9_000_000_000)
  expect(clock.waitMs(1)).toBe(1)
  expect(clock.waitMs(90_000)).toBe(90)
})

test('goes on after a step back, a tenth slower until the wall has caught up', () => {
  const { wall, clock } = started(100_000)
  wall.ms = 99_000
  expect(clock.nowUs()).toBe(100_000_000)
  expect(clock.waitMs(90_000)).toBe(100)
  wall.ms = 99_100
  expect(clock.nowUs()).toBe(100_090_000)
  wall.ms = 109_000
  expect(clock.nowUs()).toBe(109_000_000)
  expect(clock.waitMs(90_000)).toBe(90)
})

test('adds up several steps back, and believes those that are more than a minute together', () => {
  const { wall, clock } = started(1_000_000)
  wall.ms = 970_000
  expect(clock.nowUs()).toBe(1_000_000_000)
  wall.ms = 940_000
  expect(clock.nowUs()).toBe(1_000_000_000)
  wall.ms = 939_999
  expect(clock.nowUs()).toBe(939_999_000)
})

test('never goes back by a step of a minute, and moves on within what it promised', () => {
  const step = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -9_000, max: 0 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), fc.integer({ min: 1, max: 5_000_000 }), (steps, us) => {
      const { wall, clock } = started(1_000_000)
      let last = clock.nowUs()
      for (const ms of steps) {
        wall.ms += ms
        const next = clock.nowUs()
        expect(next).toBeGreaterThanOrEqual(last)
        last = next
      }
      wall.ms += clock.waitMs(us)
      expect(clock.nowUs()).toBeGreaterThanOrEqual(last + us)
    }),
    { numRuns: 1_000 },
  )
})
