/**
 * One process of a bench: a server in some role, on the storage that the environment names. Its parent asks over IPC
 * for the CPU it has used and the memory it holds.
 */
import type { AddressInfo } from 'node:net'
import { createResolver } from '../functions/wiring.ts'
import { parseConfig } from '../lib/config.ts'
import { createLog } from '../lib/log.ts'
import { createHttpServer } from '../lib/node.ts'
import { startPeer } from './peers.ts'

/** What a parent may ask, and what it is answered. */
export interface Usage {
  /** Microseconds of CPU since the process began. */
  readonly cpuUs: number
  /** Resident bytes now, and at their highest. */
  readonly rss: number
  readonly peakRss: number
}

const role = process.argv[2] ?? 'service'

async function start(): Promise<number> {
  if (role !== 'service') return startPeer(role)
  const config = parseConfig(process.env)
  const log = createLog((line) => line.includes('"level":"info"') || process.stderr.write(`${line}\n`))
  const server = createHttpServer(createResolver(config, process.env, log), config, log)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

let peakRss = 0
let isWatched = false

function watch(): void {
  peakRss = Math.max(peakRss, process.memoryUsage.rss())
}

process.on('message', (question) => {
  if (question === 'reset') {
    globalThis.gc?.()
    peakRss = 0
    if (!isWatched) setInterval(watch, 5) // only when asked for: it costs some CPU
    isWatched = true
  }
  const { user, system } = process.cpuUsage()
  const rss = process.memoryUsage.rss()
  const usage: Usage = { cpuUs: user + system, rss, peakRss: Math.max(peakRss, rss) }
  process.send?.(usage)
})
process.on('disconnect', () => process.exit(0))

process.send?.({ port: await start() })
