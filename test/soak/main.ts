/**
 * `npm run soak [-- --minutes 30] [--clients 64] [--faults 0.01] [--seed x]`: many clients at once on one service in a
 * process of its own, with faults between it and its storage. Shows how it goes, and writes a report to docs/reports/.
 * Ends with 1 after a wrong answer, or when the memory of the service grows.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChildren, startServer } from '../../bench/processes.ts'
import { commandLine, numberFrom } from '../../bench/words.ts'
import { dynamoCases, s3Cases } from '../faults/catalogue.ts'
import { scheduled } from '../faults/schedule.ts'
import { startProxiedService } from '../proxy.ts'
import { runClient } from './client.ts'

const values = commandLine('soak', 'Many clients at once, with faults between the service and its storage.')
  .option('--minutes <n>', 'how long', numberFrom(0.1, 10_000), 1)
  .option('--clients <n>', 'how many at once', numberFrom(1, 1_000), 64)
  .option('--faults <share>', 'share of storage calls that fail', numberFrom(0, 1), 0.01)
  .option('--seed <text>', 'which faults: the same seed, the same faults', String(Date.now() % 1_000_000))
  .parse()
  .opts<{ minutes: number; clients: number; faults: number; seed: string }>()
const beganMs = Date.now()
const endsAtMs = beganMs + values.minutes * 60_000
const share = values.faults
/** What is under way at the end may take so long: some attempts, each of which meets a fault. */
const graceMs = 90_000

const proxied = await startProxiedService()
const { service } = proxied
await buildChildren()
const times = { FIRST_BYTE_TIMEOUT_MS: '4000', IDLE_TIMEOUT_MS: '3000', RESPONSE_TIMEOUT_MS: '10000' }
const server = await startServer('service', { ...service.environment, ...times }, { log: 'ignore' })

const met = { count: 0 }
const faultsOf = (cases: readonly { fault: Parameters<typeof scheduled>[2][number] }[]) =>
  cases.map(({ fault }) => fault)
proxied.s3.fault = scheduled(values.seed, share, faultsOf(s3Cases), met)
proxied.dynamo.fault = scheduled(values.seed, share, faultsOf(dynamoCases), met)

const outcomes = new Map<string, Map<string, number>>()
const wrong: string[] = []
const memory: { minute: number; rssMiB: number }[] = []
/** What each client is doing. */
const pending = new Map<string, string>()
let calls = 0

function record(call: string, outcome: string, detail?: string): void {
  calls += 1
  const counts = outcomes.get(call) ?? new Map<string, number>()
  outcomes.set(call, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
  if (outcome !== 'wrong') return
  wrong.push(`${call}: ${detail}`)
  process.stderr.write(`\nwrong: ${wrong.at(-1)}\n`)
}

const workspaces = Array.from({ length: values.clients }, (_, i) => ({
  id: `w${i}`,
  files: new Map(),
}))
const deps = {
  port: server.port,
  stores: service.stores,
  token: (workspace: string, user: string) => service.token({ workspace, user }),
  record,
  began(workspaceId: string, act: string | undefined) {
    if (act === undefined) pending.delete(workspaceId)
    else pending.set(workspaceId, act)
  },
  foreign(workspaceId: string) {
    const others = workspaces.filter(({ id, files }) => id !== workspaceId && files.size > 0)
    return others[Math.floor(Math.random() * others.length)]?.files.keys().next().value
  },
  isOver: () => Date.now() >= endsAtMs,
}

async function sample(): Promise<void> {
  const { rss } = await server.reset() // after a collection of garbage
  memory.push({ minute: (Date.now() - beganMs) / 60_000, rssMiB: rss / 2 ** 20 })
}

const progress = setInterval(() => {
  const left = Math.max(0, Math.round((endsAtMs - Date.now()) / 1_000))
  const rss = memory.at(-1)?.rssMiB.toFixed(0) ?? '–'
  process.stderr.write(
    `\r${calls} calls, ${met.count} faults, ${wrong.length} wrong, ${rss} MiB, ${left} s left   `,
  )
  proxied.s3.calls.length = 0
  service.logs.length = 0
}, 1_000)
const sampling = setInterval(() => void sample().catch(() => {}), Math.max(2_000, values.minutes * 1_000))
const running = Promise.all(workspaces.map(({ id, files }) => runClient(deps, id, files)))
const isDone = await Promise.race([running.then(() => true), sleep(endsAtMs - Date.now() + graceMs, false)])
if (!isDone)
  for (const [id, act] of pending) record(act, 'wrong', `${id} waits for an answer for a minute and longer`)
clearInterval(progress)
clearInterval(sampling)
await sample()
server.stop()
await proxied.close()

/** Least squares over the second half: MiB a minute. */
function slope(points: typeof memory): number {
  const half = points.slice(Math.floor(points.length / 2))
  const mean = (of: (point: (typeof memory)[number]) => number) =>
    half.reduce((sum, each) => sum + of(each), 0) / half.length
  const [x, y] = [mean(({ minute }) => minute), mean(({ rssMiB }) => rssMiB)]
  const top = half.reduce((sum, { minute, rssMiB }) => sum + (minute - x) * (rssMiB - y), 0)
  return top / half.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0)
}

const growth = slope(memory)
const [highest, last] = [Math.max(...memory.map(({ rssMiB }) => rssMiB)), memory.at(-1)?.rssMiB ?? 0]
const day = new Date().toISOString().slice(0, 10)
const names = ['right', 'outage', 'broken', 'refused', 'done before', 'wrong']
const rows = [...outcomes]
  .sort()
  .map(([call, counts]) => `| ${call} | ${names.map((name) => counts.get(name) ?? 0).join(' | ')} |`)
const report = `# Soak, ${day}

\`npm run soak -- --minutes ${values.minutes} --clients ${values.clients} --faults ${values.faults} --seed ${values.seed}\`, Node ${process.version}, ${cpus().length} cores shared by
clients, storage and service. ${calls.toLocaleString('en')} calls and changes by ${values.clients} clients, ${met.count.toLocaleString('en')} faults of ${s3Cases.length + dynamoCases.length} kinds between service and storage.

| call | ${names.join(' | ')} |
| --- | ${names.map(() => '---').join(' | ')} |
${rows.join('\n')}

*Outage*: 503 and -32603, or an error to whoever stores; *broken*: the transfer ended early, and what came was the beginning
of the right answer; *refused*: -32004; *done before*: a change whose acknowledgement had been lost, done again.

Memory of the service's process after collecting garbage: highest ${highest.toFixed(0)} MiB, last ${last.toFixed(0)} MiB; over the second half it
changed by ${growth.toFixed(2)} MiB a minute.

**Wrong answers: ${wrong.length}.**
${wrong
  .slice(0, 20)
  .map((each) => `\n    ${each}`)
  .join('')}`
await mkdir('docs/reports', { recursive: true })
await writeFile(`docs/reports/soak-${day}.md`, report)
process.stderr.write(`\n${report}\n`)
process.exit(wrong.length > 0 || (values.minutes >= 10 && growth > 1) ? 1 : 0)
