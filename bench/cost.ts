/**
 * `npm run bench -- cost`: what a call costs, by its size, from what it was counted to use and from prices that are
 * inputs. The calls go through the service itself; only the bill is arithmetic.
 */
import type { AddressInfo } from 'node:net'
import { createDynamo, createResolver } from '../functions/wiring.ts'
import { columns } from '../infra/local/welcome.ts'
import { parseConfig } from '../lib/config.ts'
import { evenMs } from '../lib/even.ts'
import { createLog } from '../lib/log.ts'
import { createHttpServer } from '../lib/node.ts'
import { newFileId, storeFile } from '../lib/store.ts'
import { type Bill, billOf, type Usage } from './bill.ts'
import { type Call, send } from './client.ts'
import { fill } from './fill.ts'
import { type Fixture, startFixture } from './fixture.ts'
import type { Prices } from './prices.ts'
import { type Counters, startCounters } from './tally.ts'
import { blob } from './texts.ts'

/** One row of the table: what was asked, what it used, what a million of it cost. */
export interface Cost {
  readonly what: string
  readonly usage: Usage
  readonly bill: Bill
}

const hidden = 'read of what is not visible'
const readSizes = { '1 KiB': 1_024, '10 KiB': 10_240, '1 MiB': 1_048_576, '10 MiB': 10_485_760 }
const listSizes = { '10': 10, '1,000': 1_000, '100,000': 100_000 }

/** Counts and prices all calls. */
export async function countCosts(prices: Prices): Promise<Cost[]> {
  const fixture = await startFixture({
    METRICS_NAMESPACE: 'file-resolver/production',
    RATE_LIMIT_PER_SECOND: '100',
  })
  const calls = await prepare(fixture)
  const counters = await startCounters(fixture.environment)
  const service = await startCounted(fixture, counters)
  const costs: Cost[] = []
  for (const [what, call] of calls) {
    await service.use(call) // connections and buckets are there from the second call on
    const leastMs = what === hidden ? evenMs : 0
    const usage = { ...(await service.use(call)), leastMs }
    costs.push({ what, usage, bill: billOf(usage, prices) })
  }
  service.stop()
  counters.stop()
  fixture.stop()
  return costs
}

/** The table, dollars by the million. */
export function costTable(costs: readonly Cost[], { dollars, region, asOf }: Prices): string {
  const head = [
    'a million of',
    'RRU',
    'WRU',
    'GET',
    'MB out',
    'ms',
    'reads $',
    'writes $',
    'S3 $',
    'Lambda $',
    'logs $',
    'sum $',
    'data out $',
  ]
  const rows = costs.map(({ what, usage, bill }) => [
    what,
    number(usage.readUnits),
    number(usage.writeUnits),
    String(usage.s3Gets),
    (usage.outBytes / 1e6).toFixed(3),
    bill.durationMs.toFixed(0),
    ...[bill.dynamoReads, bill.dynamoWrites, bill.s3, bill.lambda, bill.logs].map(number),
    number(bill.total - bill.dataOut),
    number(bill.dataOut),
  ])
  return `${region}, prices of ${asOf}, data out at $${dollars.dataOutGb} a GB\n${columns([head, ...rows]).join('\n')}`
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toFixed(3)))
}

/** The calls by name, with the files that they ask for. */
async function prepare(fixture: Fixture): Promise<[string, Call][]> {
  const calls: [string, Call][] = []
  for (const [name, size] of Object.entries(readSizes)) {
    const place = { workspaceId: 'acme', ownerId: 'ana', name: 'photo.jpg', fileId: newFileId() }
    await storeFile(fixture.stores, place, blob().subarray(0, size))
    calls.push([`read of ${name}`, await fixture.read(place.fileId)])
  }
  calls.push([hidden, await fixture.read(newFileId())])
  for (const [name, count] of Object.entries(listSizes)) {
    await fill(createDynamo(), `list-${count}`, count, () => [])
    calls.push([`list of ${name}`, await fixture.list({}, `list-${count}`)])
  }
  return calls
}

interface Counted {
  /** Sends the call and tells what it used. */
  use(call: Call): Promise<Omit<Usage, 'leastMs'>>
  stop(): void
}

/** The service in this process, its storage behind the counters. */
async function startCounted(fixture: Fixture, counters: Counters): Promise<Counted> {
  const environment = { ...fixture.environment, ...counters.environment }
  Object.assign(process.env, environment)
  const config = parseConfig(environment)
  let logBytes = 0
  const log = createLog((line) => {
    logBytes += Buffer.byteLength(line) + 26 // what CloudWatch adds to each event
  })
  const server = createHttpServer(createResolver(config, environment, log), config, log)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    async use(call) {
      counters.reset()
      logBytes = 0
      const { bytes } = await send(port, call)
      const { readUnits, writeUnits, queries, s3Gets, s3Bytes } = counters.tally
      const laterPages = Math.max(0, queries - 2)
      const dynamoSteps = queries > 0 ? 2 : 1
      return { readUnits, writeUnits, s3Gets, s3Bytes, outBytes: bytes, logBytes, laterPages, dynamoSteps }
    },
    stop: () => server.close().closeAllConnections(),
  }
}
