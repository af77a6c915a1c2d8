/**
 * What the parts of the reconciler have in common: its stores, how a page is worked on, and the kinds of difference.
 */
import pMap from 'p-map'
import type { IndexStores } from './indexing.ts'
import type { FileName, Survey } from './survey.ts'

/** What reconciling needs besides the stores that indexing needs. */
export interface ReconcileStores extends IndexStores {
  readonly survey: Survey
}

/** A difference between bucket and table. */
export type Difference =
  /** An object had no file: it is private to the owner in its key, and without tags. */
  | 'restored'
  /** An announced file whose object is there. */
  | 'completed'
  /** A file that went with its object, which is there again. */
  | 'revived'
  /** A file of another version than the object's. */
  | 'refreshed'
  /** A file without its object. */
  | 'removed'
  /** A deletion by the host that left the object. */
  | 'finished'
  /** An object that cannot be a file. */
  | 'refused'
  /** Index rows that were missing or wrong. */
  | 'rowsPut'
  /** Index rows that no file has (any more). */
  | 'rowsRemoved'

/** How a page is worked on. */
export interface Work {
  readonly dryRun: boolean
  /** Told of each difference: after its repair, or instead of it in a dry run. */
  count(difference: Difference, times: number): void
  /** Told of what could not be repaired, and of which file. */
  fail(error: unknown, name?: FileName): void
}

/** Repairs under way at a time. */
const concurrency = 16

/** Checks the items of a page, several at a time; one that fails is told, and stops no other. */
export async function each<T>(
  items: readonly T[],
  work: Work,
  nameOfItem: (item: T) => FileName | undefined,
  check: (item: T) => Promise<void> | void,
): Promise<void> {
  await pMap(
    items,
    async (item) => {
      try {
        await check(item)
      } catch (error) {
        work.fail(error, nameOfItem(item))
      }
    },
    { concurrency },
  )
}

/** A text that is one file's and no other's. */
export function nameOf({ workspaceId, fileId }: FileName): string {
  return `${workspaceId}#${fileId}`
}

/** The names, each once. */
export function unique(names: readonly FileName[]): FileName[] {
  return [...new Map(names.map((name) => [nameOf(name), name])).values()]
}
