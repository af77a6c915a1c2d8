/**
 * Time that tells nothing. To read an item takes storage and us some microseconds more than to find none; so "not
 * found" is never answered sooner than both can be, whichever it was.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** No refusal to say whether a file exists is given sooner than this after its request. */
export const evenMs = 25

/** Resolves when at least `evenMs` have passed since `beganMs`, by the same monotonic clock in milliseconds. */
export async function untilEven(beganMs: number, now: () => number = monotonicMs): Promise<void> {
  const restMs = beganMs + evenMs - now()
  if (restMs > 0) await sleep(restMs)
}

/** Milliseconds of a clock that never goes back. */
export function monotonicMs(): number {
  return performance.now()
}
