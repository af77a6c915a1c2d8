/**
 * Lists: against reading the same projected pages with the SDK and nothing else, and how a rare tag keeps its cost.
 */
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { FileItem } from '../lib/file.ts'
import { rowsOf } from '../lib/file.ts'
import { toFileItem, toRowItem } from '../lib/items.ts'
import { listingKey } from '../lib/keys.ts'
import { type Call, interleave, type Sample, sample, send } from './client.ts'
import { startFixture } from './fixture.ts'
import { startServer } from './processes.ts'
import type { Result } from './report.ts'
import { ratioOf } from './stats.ts'

const mib = 1024 * 1024
const table = 'bench-files'

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

/** Writes files straight into the table, without bytes: a list never asks for them. */
async function fill(
  dynamo: DynamoDBClient,
  workspaceId: string,
  count: number,
  tagsOf: (i: number) => string[],
): Promise<void> {
  const puts = Array.from({ length: count }, (_, i) => file(workspaceId, i, tagsOf(i))).flatMap((item) => [
    toFileItem(item),
    ...rowsOf(item).map(toRowItem),
  ])
  const batches = Array.from({ length: Math.ceil(puts.length / 25) }, (_, i) =>
    puts.slice(i * 25, i * 25 + 25),
  )
  const next = batches[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const batch of next) {
        const requests = batch.map((Item) => ({ PutRequest: { Item } }))
        await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }))
      }
    }),
  )
}

function file(workspaceId: string, i: number, tags: string[]): FileItem {
  const fileId = `fl_${i.toString(16).padStart(24, '0')}`
  return {
    state: 'ready',
    workspaceId,
    fileId,
    ownerId: 'ana',
    name: `report-${i}.csv`,
    createdAt: new Date(1_700_000_000_000 + i * 1_000).toISOString(),
    tags,
    visibility: 'private',
    readers: [],
    objectKey: `files/${workspaceId}/ana/${fileId}/report-${i}.csv`,
    revision: 1,
    content: {
      type: 'text/csv',
      size: i,
      storedSize: i,
      etag: '"e"',
      versionId: 'v',
      charset: 'utf-8',
      gzip: false,
      oversize: false,
    },
    formerReaders: [],
    formerlyShared: false,
    expiresAtSec: undefined,
  }
}
