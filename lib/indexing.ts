/**
 * Indexing as the indexer, the reconciler and the CLI do it: the index of a key is brought in line with its object, and
 * an object that cannot be a file is put into quarantine, since trying again would not help.
 */
import { completeKey, type FileStores, type Outcome } from './complete.ts'
import type { Refusal, Refusals } from './refusals.ts'

/** What indexing needs besides the stores of files. */
export interface IndexStores extends FileStores {
  readonly refusals: Refusals
}

/** Makes the index right about the key, whatever has happened to it. */
export async function indexKey(stores: IndexStores, key: string, now = Date.now): Promise<Outcome> {
  const outcome = await completeKey(stores, key)
  if (outcome.result === 'refused') {
    const refusedAt = new Date(now()).toISOString()
    await stores.refusals.record({ key, reason: outcome.reason, refusedAt })
  }
  return outcome
}

/** Every object in quarantine. */
export async function* listRefusals(refusals: Refusals): AsyncGenerator<Refusal> {
  let after: string | undefined
  do {
    const page = await refusals.list(after)
    yield* page.refusals
    after = page.next
  } while (after)
}

/** Tries an object in quarantine again, and lets it go unless it is refused again. */
export async function retryRefusal(stores: IndexStores, key: string): Promise<Outcome> {
  const outcome = await indexKey(stores, key)
  if (outcome.result !== 'refused') await stores.refusals.forget(key)
  return outcome
}
