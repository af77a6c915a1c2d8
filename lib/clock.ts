/**
 * The clock that token buckets are reckoned by: the wall's, but never going back by a step of up to a minute, since a
 * step back would refuse what has just been admitted. It goes on from where it was, a tenth slower than the wall until
 * that has caught up. A longer step corrects a clock that was far ahead, and is believed at once.
 */

/** A clock in whole microseconds. */
export interface Clock {
  nowUs(): number
  /** For how many milliseconds of the wall one must wait, at most, until the clock has moved on by `us`. */
  waitMs(us: number): number
}

const maxLeadUs = 60_000_000
const slowing = 10

/** A clock over the wall's, which is `now` in epoch milliseconds. */
export function createClock(now: () => number): Clock {
  let wallUs = 0
  let leadUs = 0

  return {
    nowUs() {
      const passedUs = Math.round(now() * 1_000) - wallUs
      wallUs += passedUs
      leadUs = passedUs < 0 ? leadUs - passedUs : Math.max(0, leadUs - Math.floor(passedUs / slowing))
      if (leadUs > maxLeadUs) leadUs = 0
      return wallUs + leadUs
    },
    waitMs(us) {
      return Math.ceil(Math.min((us * slowing) / (slowing - 1), us + leadUs) / 1_000)
    },
  }
}
