/**
 * Whether two kinds of answers take the same time: permutation tests of a quantile's difference over pairs that were
 * measured one beside the other. Which of a pair is which is exchanged at random; if the labels mean nothing, the
 * difference that was measured is one of those that come of it.
 */

/** Two times in milliseconds, measured one right after the other. */
export interface Pair {
  readonly a: number
  readonly b: number
}

/** The difference of a quantile (b − a), and how often chance alone makes one as large. */
export interface Verdict {
  readonly differenceMs: number
  readonly p: number
}

/** Tests the quantile (0.5: the median); `random` is in [0, 1). */
export function testQuantile(
  pairs: readonly Pair[],
  share: number,
  { rounds = 1_000, random = Math.random } = {},
): Verdict {
  const first = Float64Array.from(pairs, ({ a }) => a)
  const second = Float64Array.from(pairs, ({ b }) => b)
  const left = new Float64Array(pairs.length)
  const right = new Float64Array(pairs.length)
  const difference = () => quantile(right, share) - quantile(left, share)

  left.set(first)
  right.set(second)
  const differenceMs = difference()
  let asLarge = 1
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < pairs.length; i += 1) {
      const isSwapped = random() < 0.5
      left[i] = (isSwapped ? second : first)[i] ?? 0
      right[i] = (isSwapped ? first : second)[i] ?? 0
    }
    if (Math.abs(difference()) >= Math.abs(differenceMs)) asLarge += 1
  }
  return { differenceMs, p: asLarge / (rounds + 1) }
}

function quantile(values: Float64Array, share: number): number {
  values.sort()
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}
