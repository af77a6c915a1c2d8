import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { within } from '../lib/deadline.ts'

test('what ends in time is let through, and so is its error', async () => {
  expect(await within(1_000, async () => 'done')).toBe('done')
  await expect(within(1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('what does not end is told to, no earlier than agreed', async () => {
  const beganMs = performance.now()
  const endless = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await expect(within(100, endless)).rejects.toThrow('No answer within 100 ms')
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(95)
})

test('time in which this process did not get round to anything does not count', async () => {
  const isAborted = await within(100, async (signal) => {
    for (let i = 0; i < 4; i += 1) {
      const untilMs = performance.now() + 80
      while (performance.now() < untilMs);
      await setImmediate()
    }
    return signal.aborted
  })
  expect(isAborted).toBe(false)
})

test('a busy process gives a call twenty turns of its event loop, whatever they take', async () => {
  const isAborted = await within(100, async (signal) => {
    for (let i = 0; i < 20; i += 1) {
      const untilMs = performance.now() + 15
      while (performance.now() < untilMs);
      await setImmediate()
    }
    return signal.aborted
  })
  expect(isAborted).toBe(false)
})

test('nothing is aborted once it has ended', async () => {
  const signal = await within(50, async (given) => given)
  await sleep(120)
  expect(signal.aborted).toBe(false)
})
