/**
 * A time limit for the work of others. It counts only while this process gets round to its timers: when a hundred
 * bodies are being written at once, answers wait in the socket, and that is no fault of the store that gave them.
 */

/** A call takes several turns of the event loop: a busy process gives it at least so many. */
const ticks = 25

/** Runs with a signal that aborts when `ms` milliseconds of this process being responsive are over. */
export async function within<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  let left = ticks
  const timer = setTimeout(function tick() {
    left -= 1
    if (left > 0) timer.refresh()
    else abort.abort(new Error(`No answer within ${ms} ms`))
  }, ms / ticks)
  try {
    return await run(abort.signal)
  } finally {
    left = 0
    clearTimeout(timer)
  }
}
