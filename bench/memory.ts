/**
 * Memory: how far the process grows over its idle size while many readers want 10 MiB each, fast, slow or never.
 */
import { Agent, request } from 'node:http'
import { newFileId, storeFile } from '../lib/store.ts'
import { type Call, send } from './client.ts'
import { startFixture } from './fixture.ts'
import { type Server, startServer } from './processes.ts'
import type { Result } from './report.ts'
import { blob, texts } from './texts.ts'

const mib = 1024 * 1024

/** As docs/performance.md advises for a server process: chunks die young, and a large nursery keeps the dead. */
const flags = ['--max-semi-space-size=2']

/** Measures each situation once, each in a fresh process. */
export async function benchMemory(): Promise<Result[]> {
  const fixture = await startFixture()
  const { environment, stores } = fixture
  const place = { workspaceId: 'acme', ownerId: 'ana' }
  const binary = await storeFile(stores, { ...place, name: 'x.bin', fileId: newFileId() }, blob())
  const prose = await storeFile(
    stores,
    { ...place, name: 'x.txt', fileId: newFileId() },
    texts.prose?.() ?? blob(),
  )
  const small = await storeFile(
    stores,
    { ...place, name: 's.bin', fileId: newFileId() },
    Buffer.from('small'),
  )
  const calls = {
    blob: await fixture.read(binary.fileId),
    text: await fixture.read(prose.fileId),
    small: await fixture.read(small.fileId),
  }
  const results: Result[] = []

  async function situation(
    what: string,
    most: number,
    run: (server: Server) => Promise<void>,
  ): Promise<void> {
    const server = await startServer('service', { ...environment, IDLE_TIMEOUT_MS: '120000' }, { flags })
    for (let i = 0; i < 20; i += 1) await send(server.port, calls.small)
    await send(server.port, calls.blob)
    await send(server.port, calls.text)
    const idle = await server.reset()
    await run(server)
    const { peakRss } = await server.usage()
    server.stop()
    const growth = (peakRss - idle.rss) / mib
    results.push({
      what: `${what}: MiB over idle`,
      figure: { median: growth, low: growth, high: growth },
      most,
    })
  }

  const all = (server: Server, call: Call, readers: number, bytesPerSec?: number) =>
    Promise.all(Array.from({ length: readers }, () => send(server.port, call, bytesPerSec))).then(() => {})

  await situation('64 blob reads at once', 60, (server) => all(server, calls.blob, 64))
  await situation('64 text reads at once', 60, (server) => all(server, calls.text, 64))
  await situation('256 blob reads at once', 180, (server) => all(server, calls.blob, 256))
  await situation('64 reads at 500 KB/s, for 10 s', 64, async (server) => {
    await Promise.race([
      all(server, calls.blob, 64, 500_000),
      new Promise((done) => setTimeout(done, 10_000)),
    ])
  })
  await situation('64 readers that never read', 64, async (server) => {
    const stop = await stall(server.port, calls.blob, 64)
    stop()
  })
  await situation('a further read while 200 stall', 200, async (server) => {
    const stop = await stall(server.port, calls.blob, 200)
    const { status } = await send(server.port, calls.small)
    if (status !== 200) throw new Error(`The further read was answered ${status}`)
    stop()
  })
  fixture.stop()
  return results
}

/** Opens reads whose bodies nobody takes; resolves when each has begun, with how to give them up. */
async function stall(port: number, { path, headers, body }: Call, readers: number): Promise<() => void> {
  const agent = new Agent({ maxSockets: readers })
  await Promise.all(
    Array.from(
      { length: readers },
      () =>
        new Promise<void>((resolve, reject) => {
          const req = request({ port, host: '127.0.0.1', agent, path, method: 'POST', headers }, (res) => {
            res.pause()
            res.on('error', () => {})
            resolve()
          })
          req.on('error', reject)
          req.end(body)
        }),
    ),
  )
  await new Promise((done) => setTimeout(done, 2_000))
  return () => agent.destroy()
}
