/**
 * Stores that do something before or after the n-th storage call: another party's work, or a crash.
 */
import type { ReconcileStores } from '../lib/work.ts'

/** What a process that dies throws here; nothing in the code under test knows it. */
export class Crash extends Error {}

/** Watched stores, and how many calls were made through them. */
export interface Watched {
  readonly stores: ReconcileStores
  readonly calls: () => number
}

type Call = (...args: unknown[]) => Promise<unknown>

/** The stores, with `act` run once: before call number `at` (from 0), or after it if `isAfter`. */
export function interrupted(
  stores: ReconcileStores,
  at: number,
  act: () => Promise<unknown>,
  isAfter = false,
): Watched {
  let calls = 0
  const watch = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const call: unknown = Reflect.get(target, name)
        if (typeof call !== 'function') return call
        return async (...args: unknown[]) => {
          const mine = calls === at
          calls += 1
          if (mine && !isAfter) await act()
          const result = await (call as Call).apply(target, args)
          if (mine && isAfter) await act()
          return result
        }
      },
    })
  const { files, objects, refusals, survey } = stores
  const watched = {
    ...stores,
    files: watch(files),
    objects: watch(objects),
    refusals: watch(refusals),
    survey: watch(survey),
  }
  return { stores: watched, calls: () => calls }
}

/** Runs the work with an interruption at each storage call in turn, until it makes no more calls than that. */
export async function atEachCall(
  run: (at: number) => Promise<{ readonly calls: () => number }>,
): Promise<number> {
  for (let at = 0; ; at += 1) {
    const { calls } = await run(at)
    if (calls() <= at) return at
  }
}
