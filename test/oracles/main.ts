/**
 * `npm run oracles [-- --pairs 10000]`: can a caller tell a file that is there and not for him from one that is not
 * there, by bytes or by time? Interleaved pairs over one connection, service and storage in processes of their own.
 * Writes the report to docs/reports/ and ends with 1 when any pair can be told apart.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { cpus } from 'node:os'
import type { Call } from '../../bench/client.ts'
import { startFixture } from '../../bench/fixture.ts'
import { buildChildren, startServer } from '../../bench/processes.ts'
import { commandLine, numberFrom } from '../../bench/words.ts'
import { storeFile } from '../../lib/store.ts'
import { type Pair, testQuantile } from './permutation.ts'

const { pairs: count } = commandLine('oracles', 'Whether what is hidden can be told from what is not there.')
  .option('--pairs <n>', 'how many interleaved pairs', numberFrom(1, 10_000_000), 10_000)
  .parse()
  .opts<{ pairs: number }>()
const alpha = 0.01
const resolvableMs = 0.2

await buildChildren()
const fixture = await startFixture()
const service = await startServer('service', { ...fixture.environment })
const tight = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1', BUCKETS_TABLE: 'bench-buckets' }
const throttled = await startServer('service', { ...fixture.environment, ...tight })
/** An answer, and the milliseconds until it was whole. */
function send(agent: Agent, port: number, call: Call): Promise<{ ms: number; text: string }> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const req = request(
      { port, host: '127.0.0.1', agent, path: call.path, method: 'POST', headers: call.headers },
      (res) => {
        let text = `${res.statusCode}`
        res.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        res.on('end', () => {
          const ms = performance.now() - began
          const { 'x-request-id': _, date: __, ...headers } = res.headers
          resolve({ ms, text: JSON.stringify(headers) + text })
        })
      },
    )
    req.on('error', reject)
    req.end(call.body)
  })
}

const bobs = { workspaceId: 'acme', ownerId: 'bob', name: 'secret.txt' }
const tags = Array.from({ length: 40 }, (_, i) => `tag-${i}`)
const fileIds = {
  missing: 'fl_000000000000000000000000',
  bare: 'fl_00000000000000000000000b',
  tagged: 'fl_00000000000000000000000c',
  foreign: 'fl_00000000000000000000000d',
}
await storeFile(fixture.stores, { ...bobs, fileId: fileIds.bare }, Buffer.from('secret'))
await storeFile(fixture.stores, { ...bobs, fileId: fileIds.tagged, tags }, Buffer.from('secret'))
await storeFile(
  fixture.stores,
  { ...bobs, workspaceId: 'other', fileId: fileIds.foreign, tags },
  Buffer.from('secret'),
)

const missing = await fixture.read(fileIds.missing)
interface Comparison {
  readonly name: string
  readonly port: number
  readonly a: Call
  readonly b: Call
}

const comparisons: Comparison[] = [
  {
    name: 'a control: no file and another file that is not there',
    port: service.port,
    a: missing,
    b: await fixture.read('fl_000000000000000000000001'),
  },
  {
    name: 'no file and bob’s, without tags',
    port: service.port,
    a: missing,
    b: await fixture.read(fileIds.bare),
  },
  {
    name: 'no file and bob’s, with 40 tags',
    port: service.port,
    a: missing,
    b: await fixture.read(fileIds.tagged),
  },
  {
    name: 'no file and one of another workspace',
    port: service.port,
    a: missing,
    b: await fixture.read(fileIds.foreign),
  },
  {
    name: 'throttled: no file and bob’s, with 40 tags',
    port: throttled.port,
    a: missing,
    b: await fixture.read(fileIds.tagged),
  },
  {
    name: 'lists by a tag that nobody has, and by one of bob’s',
    port: service.port,
    a: await fixture.list({ tags: ['tag-x'] }),
    b: await fixture.list({ tags: ['tag-7'] }),
  },
]

/** What remains of an answer when what the caller himself wrote is taken out. */
const anonymous = (text: string) =>
  text
    .replace(/fl_[0-9a-f]{24}/g, 'fl')
    .replace(/"retryAfterMs":\d+|"retry-after":"\d+"|"content-length":"\d+"(?=.*retryAfterMs)/g, '')

/** Interleaved pairs over one connection, in random order, and every kind of answer that came. */
async function measure({ name, port, a, b }: Comparison): Promise<{ pairs: Pair[]; kinds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let i = 0; i < 300; i += 1) await send(agent, port, i % 2 ? a : b)
  const pairs: Pair[] = []
  const kinds = new Set<string>()
  for (let i = 0; i < count; i += 1) {
    const isFirst = Math.random() < 0.5
    const one = await send(agent, port, isFirst ? a : b)
    const two = await send(agent, port, isFirst ? b : a)
    const isAdmitted = ![one, two].every(({ text }) => text.includes('-32004'))
    if (port === throttled.port && isAdmitted) continue // a token had come
    pairs.push(isFirst ? { a: one.ms, b: two.ms } : { a: two.ms, b: one.ms })
    kinds.add(anonymous(one.text)).add(anonymous(two.text))
    if (i % 1_000 === 0) process.stderr.write(`${name}: ${i} of ${count} pairs\n`)
  }
  agent.destroy()
  return { pairs, kinds: kinds.size }
}

// reads that find nothing mostly wait, so they may do so side by side
const reads = await Promise.all(comparisons.slice(0, 4).map(measure))
const measured = [...reads]
for (const comparison of comparisons.slice(4)) measured.push(await measure(comparison))

let isTold = false
const lines = measured.map(({ pairs, kinds }, i) => {
  const median = testQuantile(pairs, 0.5)
  const p95 = testQuantile(pairs, 0.95)
  const slower = pairs.map((pair) => ({ a: pair.a, b: pair.b + resolvableMs }))
  const finds = [0.5, 0.95].map((share) => (testQuantile(slower, share).p < alpha ? 'yes' : 'no'))
  const isSame = kinds === 1 && median.p >= alpha && p95.p >= alpha
  isTold ||= !isSame
  const cells = [
    comparisons[i]?.name,
    kinds === 1 ? 'same' : `${kinds} kinds`,
    median.differenceMs.toFixed(3),
    median.p.toFixed(3),
    p95.differenceMs.toFixed(3),
    p95.p.toFixed(3),
    finds.join(' / '),
    isSame ? 'no' : 'YES',
  ]
  process.stderr.write(`${cells.join(' | ')}\n`)
  return `| ${cells.join(' | ')} |`
})
service.stop()
throttled.stop()
fixture.stop()

const day = new Date().toISOString().slice(0, 10)
await mkdir('docs/reports', { recursive: true })
await writeFile(
  `docs/reports/oracles-${day}.md`,
  `# Can what is hidden be told from what is not there? ${day}

\`npm run oracles -- --pairs ${count}\`, Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), the emulated storage in a process of
its own. Each row: ${count} interleaved pairs in random order over one connection, the first four rows side by side; status, headers and body compared but for
the id that the caller wrote, the date, the request id and the time to wait; permutation tests of the difference of the
median and of the 95th percentile, at alpha ${alpha}. *Finds 0.2 ms*: whether the same
measurements with 0.2 ms added to one side are told apart, by the median / by the 95th percentile.

| a and b | answers | median b − a, ms | p | p95 b − a, ms | p | finds 0.2 ms | told apart |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`,
)
process.exitCode = isTold ? 1 : 0
