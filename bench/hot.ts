/**
 * `npm run bench -- hot`: where one server in one workspace meets the limit of a DynamoDB partition, what that does to
 * others, and what helps.
 */
import { columns } from '../infra/local/welcome.ts'
import type { Outcome, Trial } from './trial.ts'

const usual = { perSecond: 100, burst: 1_000 }
const flood = { rate: usual, instances: 500, asked: 5_000, neighbours: 10 }
const high = { rate: { perSecond: 2_000, burst: 2_000 }, instances: 100, asked: 2_000 }
const four = { rate: { perSecond: 500, burst: 500 }, instances: 100, asked: 500, servers: 4 }

/** What the report tries. */
export const trials: readonly Trial[] = [
  { what: 'rate 100, 200 asked', rate: usual, instances: 20, asked: 200 },
  { what: 'rate 100, 90 asked of one instance', rate: usual, instances: 1, asked: 90 },
  { what: 'rate 100, 90 asked of 20 instances', rate: usual, instances: 20, asked: 90 },
  { what: 'rate 100, 5,000 asked of 20 instances', ...flood, instances: 20 },
  { what: 'rate 100, 5,000 asked of 500 instances', ...flood },
  { what: '… and the bucket isolated by DynamoDB', ...flood, splitMs: 5_000 },
  { what: 'rate 800', rate: { perSecond: 800, burst: 800 }, instances: 50, asked: 800 },
  { what: 'rate 1,000', rate: { perSecond: 1_000, burst: 1_000 }, instances: 50, asked: 1_000 },
  { what: 'rate 2,000', ...high },
  { what: 'rate 2,000 in four buckets, one partition', ...high, shards: 4 },
  { what: 'rate 2,000 in four buckets, split', ...high, shards: 4, splitMs: 0 },
  { what: 'rate 2,000, ten tokens at a time', ...high, lease: 10 },
  { what: 'four servers at 500, one partition', ...four },
  { what: 'four servers at 500, split', ...four, splitMs: 0 },
]

/** The outcomes as a table. */
export function hotTable(outcomes: readonly Outcome[]): string {
  const head = ['a second', 'asked', 'admitted', 'refused', 'item throttled', 'writes', 'neighbours served']
  const rows = outcomes.map((o) => [
    o.what,
    ...[o.asked, o.admitted, o.refused, o.throttled, o.writes].map((value) => value.toFixed(0)),
    o.neighbours === undefined ? '' : `${(o.neighbours * 100).toFixed(0)} %`,
  ])
  return columns([head, ...rows]).join('\n')
}
