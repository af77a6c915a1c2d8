/**
 * Figures of a bench: medians of ratios that were taken pair by pair in one run, with their spread, since the machine's
 * speed drifts and a ratio of two neighbours does not.
 */

/** A figure with its spread: the quartiles of all pairs. */
export interface Figure {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The ratios a[i] / b[i] as a figure. */
export function ratioOf(a: readonly number[], b: readonly number[]): Figure {
  return figureOf(a.map((value, i) => value / (b[i] ?? Number.NaN)))
}

/** The values as a figure. */
export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((x, y) => x - y)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}
