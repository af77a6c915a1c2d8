/**
 * The ratios of a bench as a picture: each figure with its quartiles, and what it has to reach.
 */
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { Result } from './report.ts'

/** An SVG of figures that have something to reach, on a scale that shows ratios and MiB alike. */
export function plot(results: readonly Result[], title: string, subtitle: string): Promise<string> {
  const values = results.map(({ what, figure, least, most }) => ({
    what,
    ...figure,
    bound: least ?? most,
    better: least === undefined ? 'less is better' : 'more is better',
  }))
  const y = { field: 'what', type: 'nominal', sort: null, title: null, axis: { labelLimit: 500 } } as const
  const x = {
    type: 'quantitative',
    scale: { type: 'symlog', constant: 0.2 },
    title: 'ratio (or MiB, KiB); the bar is what has to be reached',
  } as const
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, subtitle },
    background: 'white',
    width: 480,
    height: { step: 18 },
    data: { values },
    layer: [
      {
        mark: { type: 'rule', strokeWidth: 4, opacity: 0.4 },
        encoding: {
          y,
          x: { ...x, field: 'low' },
          x2: { field: 'high' },
          color: { field: 'better', type: 'nominal', title: null },
        },
      },
      {
        mark: { type: 'point', filled: true, size: 60 },
        encoding: {
          y,
          x: { ...x, field: 'median' },
          color: { field: 'better', type: 'nominal', title: null },
        },
      },
      { mark: { type: 'tick', thickness: 2, color: 'black' }, encoding: { y, x: { ...x, field: 'bound' } } },
    ],
  }
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG()
}
