/**
 * Lists: against reading the same projected pages with the SDK and nothing else, and how a rare tag keeps its cost.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { listingKey } from '../lib/keys.ts'
import { type Call, interleave, type Sample, sample, send } from './client.ts'
import { fill } from './fill.ts'
import { startFixture } from './fixture.ts'
import { startServer } from './processes.ts'
import type { Result } from './report.ts'
import { ratioOf } from './stats.ts'

const mib = 1024 * 1024

/** Measures, `rounds` times. */
export async function benchLists(rounds: number): Promise<Result[]> {
  const fixture = await startFixture()
  const dynamo = new DynamoDBClient({ requestHandler: { httpAgent: { maxSockets: 64 } } })
  await fill(dynamo, 'large', 100_000, (i) => [
    i % 2 === 0 ? 'half' : 'other',
    ...(i % 10_000 === 7 ? ['rare'] : []),
  ])
  await fill(dynamo, 'ten', 10, () => [])
  const server = await startServer('service', fixture.environment)
  const sdk = await startServer('pages', fixture.environment)

  const whole = await fixture.list({}, 'large')
  const samples = await interleave(
    {
      ours: () => sample(server, whole, 1, 10 * mib),
      pages: () => sample(sdk, pagesOf('large'), 1, 10 * mib),
      firstPage: () => sample(sdk, { path: `${pagesOf('large').path}?pages=1` }, 1, 100_000),
    },
    rounds,
  )
  const calls = {
    rare: await fixture.list({ tags: ['rare'] }, 'large'),
    both: await fixture.list({ tags: ['half', 'rare'] }, 'large'),
    other: await fixture.list({ tags: ['other', 'rare'] }, 'large'),
    ten: await fixture.list({}, 'ten'),
  }
  const small = await interleave(
    {
      rare: () => sample(server, calls.rare, 20),
      both: () => sample(server, calls.other, 20),
      ten: () => sample(server, calls.ten, 20),
    },
    rounds,
  )
  server.stop()
  const memory = await growth(fixture.environment, whole)
  sdk.stop()
  fixture.stop()
  const ms = (list: readonly Sample[]) => list.map((each) => each.ms)
  const first = (list: readonly Sample[]) => list.map((each) => each.firstMs)
  return [
    {
      what: 'list of 100,000: first byte ÷ first page',
      figure: ratioOf(first(samples.ours), ms(samples.firstPage)),
      most: 1.3,
    },
    {
      what: 'list of 100,000: total ÷ the pages alone',
      figure: ratioOf(ms(samples.ours), ms(samples.pages)),
      most: 1.3,
    },
    {
      what: 'list of 100,000: MiB over idle',
      figure: { median: memory, low: memory, high: memory },
      most: 64,
    },
    { what: 'tag of 10 in 100,000 ÷ list of 10', figure: ratioOf(ms(small.rare), ms(small.ten)), most: 1.5 },
    {
      what: 'two tags, 10 and 50,000 ÷ the rare one',
      figure: ratioOf(ms(small.both), ms(small.rare)),
      most: 2,
    },
  ]
}

function pagesOf(workspace: string): Call {
  return { path: `/${encodeURIComponent(listingKey(workspace, { userId: 'ana' }, 'all'))}` }
}

async function growth(environment: Record<string, string>, call: Call): Promise<number> {
  const server = await startServer('service', environment)
  await send(server.port, call)
  const idle = await server.reset()
  await send(server.port, call)
  const { peakRss } = await server.usage()
  server.stop()
  return (peakRss - idle.rss) / mib
}
