/**
 * Histories of one register that one writer writes and many read, and whether they are linearizable: every read sees
 * a value that was there at some moment between its beginning and its end, and no read sees less than an earlier one.
 */

/** A value, from the time at which it was asked for to the time at which it was answered. */
export interface Operation<T> {
  readonly began: number
  readonly ended: number
  readonly value: T
}

/** The first read for which no order of things accounts, or undefined. The writes are in order; the first is the start. */
export function firstWrong<T>(
  writes: readonly Operation<T>[],
  reads: readonly Operation<T>[],
): Operation<T> | undefined {
  const seen: { readonly ended: number; readonly at: number }[] = []
  for (const read of reads.toSorted((a, b) => a.ended - b.ended)) {
    const acknowledged = writes.findLastIndex(({ ended }) => ended < read.began)
    const known = seen.filter(({ ended }) => ended < read.began).map(({ at }) => at)
    const earliest = Math.max(acknowledged, ...known)
    const at = writes.findIndex(
      ({ began, value }, i) => i >= earliest && began <= read.ended && value === read.value,
    )
    if (at < 0) return read
    seen.push({ ended: read.ended, at })
  }
  return undefined
}
