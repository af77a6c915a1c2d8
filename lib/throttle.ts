/**
 * One token bucket for each (workspace, server), shared by all instances (contract 6): the generic cell rate algorithm
 * with one number in the store, the theoretical arrival time (TAT) at which the bucket will be full again. Taking a
 * token moves it one interval later, by one conditional update: no read first, no race, no fraction lost. All times
 * here are integer microseconds, exact in a double and in DynamoDB.
 */
import type { Caller } from './access.ts'
import type { Attempt, BucketStore } from './buckets.ts'
import { createClock } from './clock.ts'
import { within } from './deadline.ts'
import { ResolverError } from './errors.ts'
import { bucketKey } from './keys.ts'
import { createRecent } from './recent.ts'

/** Refill in tokens a second, and how many a full bucket holds. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Takes tokens. Throws `rate-limited` (with `retryAfterMs`) at once for a refusal that is remembered. */
export interface Throttle {
  take(caller: Caller): Promise<void>
}

/** Clocks of instances may differ by this much beyond a full bucket before a state counts as impossible. */
const clockSlackUs = 2_000_000

/** The store answers within this time or it is storage trouble: never unlimited, never hanging (contract 6). */
const storeTimeoutMs = 500

/** Buckets of which an instance remembers something. */
const maxRemembered = 10_000

/** Options of `createThrottle`; `now` is epoch milliseconds, `random` is in [0, 1). */
export interface ThrottleOptions {
  readonly now?: () => number
  readonly random?: () => number
  /** Told when a stored state was impossible and was replaced: some instance's clock is far ahead. */
  readonly onImpossibleState?: (key: string) => void
}

/** A throttle over the store that all instances share. */
export function createThrottle(buckets: BucketStore, rate: Rate, options: ThrottleOptions = {}): Throttle {
  const { now = Date.now, random = Math.random, onImpossibleState } = options
  const intervalUs = Math.ceil(1_000_000 / rate.perSecond)
  const fullUs = intervalUs * rate.burst
  /** A guess at each TAT, from which no refusal follows: what was seen last, and an interval for each call since. */
  const likelyTat = createRecent<number>(maxRemembered)
  const refusedUntil = createRecent<number>(maxRemembered)
  /** What the latest call under way for a bucket will be told: its TAT, or 0 when it fails. */
  const underWay = new Map<string, Promise<number>>()
  const clock = createClock(now)

  function refuse(key: string, tat: number, nowUs: number): never {
    refusedUntil.set(key, admissible(tat))
    throw rateLimited(clock.waitMs(admissible(tat) - nowUs))
  }

  /** Whoever is refused may come back when the TAT is at most `burst - 1` intervals ahead. */
  function admissible(tat: number): number {
    return tat - fullUs + intervalUs
  }

  /** `nowUs` is that of the request: a later one would let the answer of each call be out of date. */
  async function admit(key: string, nowUs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const others = underWay.get(key)
      if (others && admissible(likelyTat.get(key) ?? 0) > nowUs) {
        const tat = await others // they have the last tokens, so what they are told goes for this one too
        if (admissible(tat) > nowUs) refuse(key, tat, nowUs)
        continue
      }
      const { taken, tat } = await ask(key, nowUs, signal)
      if (taken) return
      if (tat > nowUs + fullUs + clockSlackUs) await empty(key, tat, nowUs, signal)
      else if (admissible(tat) > nowUs) refuse(key, tat, nowUs)
    }
  }

  function ask(key: string, nowUs: number, signal: AbortSignal): Promise<Exclude<Attempt, 'throttled'>> {
    const call = send(key, nowUs, signal)
    const told = call.then(
      ({ tat }) => tat,
      () => 0,
    )
    underWay.set(key, told)
    void told.then(() => underWay.get(key) === told && underWay.delete(key))
    return call
  }

  /** One call, by its guess whether the bucket is full. */
  async function send(key: string, nowUs: number, signal: AbortSignal) {
    const likely = likelyTat.get(key) ?? 0
    likelyTat.set(key, Math.max(likely, nowUs) + intervalUs)
    const attempt =
      likely <= nowUs
        ? await buckets.restart(key, { now: nowUs, tat: nowUs + intervalUs }, signal)
        : await buckets.advance(
            key,
            { now: nowUs, latest: nowUs + fullUs - intervalUs, interval: intervalUs },
            signal,
          )
    if (attempt === 'throttled') throw rateLimited(1_000 + Math.floor(random() * 250))
    likelyTat.set(key, attempt.taken ? Math.max(likelyTat.get(key) ?? 0, attempt.tat) : attempt.tat)
    return attempt
  }

  /** Replaces a state that no clock within the assumed difference can have written, by an empty bucket of now. */
  async function empty(key: string, found: number, nowUs: number, signal: AbortSignal): Promise<void> {
    const tat = nowUs + fullUs
    if (!(await buckets.replace(key, { found, tat }, signal))) return
    onImpossibleState?.(key)
    refuse(key, tat, nowUs)
  }

  return {
    take(caller) {
      const key = bucketKey(caller.workspaceId, caller.serverId)
      const nowUs = clock.nowUs()
      const untilUs = refusedUntil.get(key)
      if (untilUs !== undefined) {
        const waitUs = untilUs - nowUs
        // a longer one was promised by a clock that has been corrected since
        if (waitUs > 0 && waitUs <= fullUs + clockSlackUs) throw rateLimited(clock.waitMs(waitUs))
        refusedUntil.delete(key)
      }
      return within(storeTimeoutMs, (signal) => admit(key, nowUs, signal))
    },
  }
}

function rateLimited(retryAfterMs: number): ResolverError {
  return new ResolverError('rate-limited', { data: { retryAfterMs } })
}
