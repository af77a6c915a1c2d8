/**
 * `node --import tsx bench/import.ts [files]`: moves a generated store of small files into a dev service on this machine,
 * kills the import half-way, runs it again, and tells rate and memory, and whether anything is missing or doubled.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const files = Number(process.argv[2] ?? 20_000)
const owners = 4
const dir = await mkdtemp(join(tmpdir(), 'import-'))
const data = join(dir, 'data')
const source = join(dir, 'host')

await generate()
const { dev, url } = await start()
const tokens = new Map<string, string>()
try {
  for (let owner = 0; owner < owners; owner += 1) {
    const user = `user${owner}`
    tokens.set(user, (await cli('token', '--workspace', 'acme', '--user', user, '--ttl', '900')).trim())
  }
  await run('first run, killed half-way', files / 2)
  await run('second run')
  await run('third run')
  await check()
} finally {
  dev.kill('SIGTERM')
  await once(dev, 'exit')
  await rm(dir, { recursive: true })
}

async function generate(): Promise<void> {
  for (let owner = 0; owner < owners; owner += 1) {
    const folder = join(source, 'workspaces', 'acme', 'files', `user${owner}`)
    await mkdir(folder, { recursive: true })
    const lines: string[] = []
    for (let i = owner; i < files; i += owners) {
      const id = `fl_${i.toString(16).padStart(24, '0')}`
      const bytes = `file ${i}\n`.repeat(100)
      const entry = {
        id,
        filename: `f ${i}.txt`,
        mimeType: 'text/plain',
        size: bytes.length,
        tags: [`t${i % 7}`],
      }
      lines.push(JSON.stringify({ ...entry, createdAt: new Date(1.7e12 + i * 1_000).toISOString() }))
      await writeFile(join(folder, `${id}_f ${i}.txt`), bytes)
    }
    await writeFile(join(folder, 'registry.jsonl'), `${lines.join('\n')}\n`)
  }
}

async function start(): Promise<{ dev: ChildProcess; url: string }> {
  const args = [
    '--import',
    'tsx',
    'infra/local/dev.ts',
    '--port',
    '0',
    '--json',
    '--no-samples',
    '--data',
    data,
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { dev: child, url: JSON.parse(String(line)).url }
}

/** Runs the import, kills it when so many files are listed, and tells how it went. */
async function run(name: string, killAt?: number): Promise<void> {
  const startedMs = performance.now()
  const args = ['--import', 'tsx', 'infra/cli/main.ts', 'import', source, '--data', data, '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const ended = once(child, 'exit')
  let peakKib = 0
  for (let isOver = false; !isOver; isOver = child.exitCode !== null || child.signalCode !== null) {
    peakKib = Math.max(peakKib, await peakOf(child.pid))
    if (killAt !== undefined && (await countListed()) >= killAt) child.kill('SIGKILL')
    await sleep(killAt === undefined ? 100 : 1_000)
  }
  await ended
  const seconds = (performance.now() - startedMs) / 1_000
  const result = output ? JSON.parse(output) : { moved: await countListed() }
  const rate = Math.round(result.moved / seconds)
  console.log(
    `${name}: ${seconds.toFixed(1)} s, peak ${Math.round(peakKib / 1_024)} MiB, ${rate} files/s`,
    result,
  )
}

async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
}

/** Standard output of a command of the CLI. */
async function cli(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'infra/cli/main.ts', ...args, '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  await once(child, 'exit')
  return output
}

async function list(user: string): Promise<{ uri: string }[]> {
  const frame = { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/list' }
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.get(user)}`, 'content-type': 'application/json' },
    body: JSON.stringify(frame),
  })
  const { result } = (await response.json()) as { result: { resources: { uri: string }[] } }
  return result.resources
}

async function countListed(): Promise<number> {
  const listed = await Promise.all(Array.from({ length: owners }, (_, owner) => list(`user${owner}`)))
  return listed.flat().length
}

async function check(): Promise<void> {
  const listed = (
    await Promise.all(Array.from({ length: owners }, (_, owner) => list(`user${owner}`)))
  ).flat()
  const uris = new Set(listed.map(({ uri }) => uri))
  console.log(`${listed.length} listed, ${files - uris.size} missing, ${listed.length - uris.size} doubled`)
}
