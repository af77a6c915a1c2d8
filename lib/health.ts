/**
 * Whether the storage answers (contract 1, /readyz). The result is kept for ten seconds and only one probe is under
 * way at a time, so that the public cannot make the service call its storage.
 */
import { describeError, type Log } from './log.ts'

/** One part that must answer. */
export interface Probe {
  readonly name: string
  readonly ping: (signal: AbortSignal) => Promise<unknown>
}

/** The parts that do not answer, from a result at most `keepMs` old. */
export type Health = () => Promise<readonly string[]>

/** Builds the check; `now` is epoch milliseconds. */
export function createHealth(
  probes: readonly Probe[],
  log: Log,
  { keepMs = 10_000, timeoutMs = 3_000, now = Date.now } = {},
): Health {
  let result: Promise<readonly string[]> | undefined
  let probedAt = 0

  async function failure({ name, ping }: Probe): Promise<string | undefined> {
    try {
      await ping(AbortSignal.timeout(timeoutMs))
      return undefined
    } catch (error) {
      log('error', 'not-ready', { part: name, error: describeError(error) })
      return name
    }
  }

  async function probe(): Promise<readonly string[]> {
    const failures = await Promise.all(probes.map(failure))
    return failures.filter((name) => name !== undefined)
  }

  return () => {
    const age = now() - probedAt
    if (result === undefined || age >= keepMs || age < 0) {
      result = probe()
      probedAt = now()
    }
    return result
  }
}
