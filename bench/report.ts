/**
 * Results of a bench, as a table for people.
 */
import { columns } from '../infra/local/welcome.ts'
import type { Figure } from './stats.ts'

/** One figure and what it has to reach. */
export interface Result {
  readonly what: string
  readonly figure: Figure
  readonly least?: number
  readonly most?: number
}

/** True when the figure is as good as it has to be; `slack` widens the bound by that factor. */
export function reaches({ figure, least, most }: Result, slack = 1): boolean {
  return figure.median >= (least ?? 0) / slack && figure.median <= (most ?? Number.POSITIVE_INFINITY) * slack
}

/** True when the figure has to reach something. */
export function isBound({ least, most }: Result): boolean {
  return least !== undefined || most !== undefined
}

/** The results as lines. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { median, low, high } = result.figure
    const bound = result.least === undefined ? `≤ ${result.most}` : `≥ ${result.least}`
    const verdict = isBound(result) ? [bound, reaches(result) ? 'yes' : 'NO'] : ['', '']
    return [result.what, show(median), low === high ? '' : `${show(low)}–${show(high)}`, ...verdict]
  })
  return columns([['figure', 'median', 'quartiles', 'to reach', 'reached'], ...rows]).join('\n')
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
