/**
 * How long to wait before a call is sent again: longer each time, never together with everybody else. And waits that
 * end when a signal says so.
 */

const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Milliseconds before the next attempt: what the service asked for and some jitter, else a random part of a doubling
 * bound; undefined when the service asks for more than `maxRetryAfterMs`.
 */
export function pauseBefore(
  retryAfterMs: number | undefined,
  attempt: number,
  maxRetryAfterMs: number,
  random: () => number,
): number | undefined {
  if (retryAfterMs === undefined) return random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt)
  if (retryAfterMs > maxRetryAfterMs) return undefined
  return retryAfterMs + random() * Math.max(firstPauseMs, retryAfterMs / 4)
}

/** Waits; rejects with the signal's reason as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** What the work gives; rejects with the signal's reason as soon as it aborts, for work that knows of no signal. */
export function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
