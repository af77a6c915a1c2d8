/**
 * Over-admission: how many calls a limiter lets through that a bucket of the same burst and rate would not have had a
 * token for, when one caller comes early in a second and many come at its end, and ask again as soon as they are told to.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rate } from '../lib/throttle.ts'

/** Asks for one call: 0 when it is admitted, otherwise milliseconds to wait. */
export type Attempt = () => Promise<number>

const callers = 64
const rounds = 3

/** Milliseconds between a caller's look at the clock and the limiter's. */
const slackMs = 10

/** Admitted calls over the bound, as a share of all that were admitted. */
export async function shareOverAdmitted(attempt: Attempt, rate: Rate): Promise<number> {
  const admitted: number[] = []
  async function ask(): Promise<void> {
    const asked = Date.now()
    const waitMs = await attempt()
    if (waitMs === 0) admitted.push(asked)
    else await sleep(waitMs)
  }

  for (let round = 0; round < rounds; round += 1) {
    await ask()
    await sleep(900)
    const until = Date.now() + 400
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (Date.now() < until) await ask()
      }),
    )
    await sleep(1_500)
  }
  return countOver(admitted, rate) / admitted.length
}

/** How many of the moments (epoch milliseconds) found no token in a bucket that was full at first. */
export function countOver(moments: readonly number[], { perSecond, burst }: Rate): number {
  let tokens = burst
  let last = 0
  let over = 0
  for (const moment of moments.toSorted((a, b) => a - b)) {
    if (last > 0) tokens = Math.min(burst, tokens + ((moment - last) * perSecond) / 1_000)
    last = moment
    if (tokens >= 1 - (slackMs * perSecond) / 1_000) tokens -= 1
    else over += 1
  }
  return over
}
