/**
 * Optimistic concurrency: an operation that reads, decides and writes conditionally is repeated when another writer
 * was first. Failures of storage are the SDK's to retry, not ours.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ResolverError } from './errors.ts'

const maxAttempts = 30
const maxDelayMs = 400

/** The result of `attempt`, which is called anew after each conflict, with growing random pauses; the last one is thrown. */
export async function repeatOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const lost = error instanceof ResolverError && error.code === 'conflict'
      if (!lost || tries === maxAttempts) throw error
      await sleep(Math.random() * Math.min(maxDelayMs, 10 * 2 ** tries))
    }
  }
}
