/**
 * A world with a clock of its own: what is to happen happens in order of its time, at once, and the same every run. The
 * code under trial is the real one, given this clock and this randomness.
 */
import { setImmediate as settled } from 'node:timers/promises'

/** Virtual time in milliseconds, and seeded randomness. */
export interface World {
  now(): number
  random(): number
  sleep(ms: number): Promise<void>
  /** Lets everything happen up to that time. */
  run(untilMs: number): Promise<void>
}

/** A world that begins at `startMs`. */
export function createWorld(seed: number, startMs = 4_000_000_000_000): World {
  let nowMs = startMs
  let state = seed
  const due = new Map<number, (() => void)[]>()

  return {
    now: () => nowMs,
    random() {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    },
    sleep(ms) {
      const atMs = nowMs + Math.max(1, Math.round(ms))
      return new Promise((resolve) => due.set(atMs, [...(due.get(atMs) ?? []), resolve]))
    },
    async run(untilMs) {
      const endMs = startMs + untilMs
      for (await settled(); nowMs < endMs; nowMs += 1) {
        const ready = due.get(nowMs)
        if (!ready) continue
        due.delete(nowMs)
        for (const resume of ready) resume()
        await settled() // all promises that follow from it
      }
    },
  }
}
