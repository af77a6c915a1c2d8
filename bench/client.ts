/**
 * A client that costs little: one kept-alive connection for each caller, bodies counted and thrown away.
 */
import { Agent, request } from 'node:http'
import type { Server } from './processes.ts'
import { openReader } from './reader.ts'

/** One request: what is sent, to which port. */
export interface Call {
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** How one answer came: milliseconds to its first byte and to its last, and how many bytes. */
export interface Timing {
  readonly status: number
  readonly firstMs: number
  readonly totalMs: number
  readonly bytes: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 })

/** Sends the call and reads the whole answer; `bytesPerSec` makes a slow reader. */
export function send(port: number, call: Call, bytesPerSec?: number): Promise<Timing> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const req = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        path: call.path,
        method: call.body ? 'POST' : 'GET',
        headers: call.headers,
      },
      (res) => {
        let firstMs = 0
        let bytes = 0
        res.on('data', (chunk: Buffer) => {
          firstMs ||= performance.now() - began
          bytes += chunk.length
          if (bytesPerSec === undefined) return
          const aheadMs = (bytes / bytesPerSec) * 1_000 - (performance.now() - began)
          if (aheadMs < 5) return
          res.pause()
          setTimeout(() => res.resume(), aheadMs)
        })
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, firstMs, totalMs: performance.now() - began, bytes }),
        )
        res.on('error', reject)
      },
    )
    req.on('error', reject)
    req.end(call.body)
  })
}

/** What a server needed for some calls, one after the other. */
export interface Sample {
  readonly ms: number
  readonly cpuUs: number
  readonly firstMs: number
}

/** Sends the call `times` times and tells the time and the server's CPU for one. Throws if an answer is not whole. */
export async function sample(server: Server, call: Call, times: number, minBytes = 1): Promise<Sample> {
  const before = await server.usage()
  const began = performance.now()
  let firstMs = 0
  const reader = openReader(server.port)
  for (let i = 0; i < times; i += 1) {
    const timing = await reader.read(call)
    if (timing.status !== 200 || timing.bytes < minBytes) {
      throw new Error(`${call.path} answered ${timing.status} with ${timing.bytes} bytes`)
    }
    firstMs += timing.firstMs
  }
  const ms = (performance.now() - began) / times
  const { cpuUs } = await server.usage()
  reader.close()
  return { ms, cpuUs: (cpuUs - before.cpuUs) / times, firstMs: firstMs / times }
}

/** The same for calls that are all sent at once, each on a connection of its own. */
export async function sampleAtOnce(
  server: Server,
  call: Call,
  readers: number,
  minBytes = 1,
): Promise<Sample> {
  const open = Array.from({ length: readers }, () => openReader(server.port))
  const before = await server.usage()
  const began = performance.now()
  const timings = await Promise.all(open.map((reader) => reader.read(call)))
  const ms = (performance.now() - began) / readers
  const { cpuUs } = await server.usage()
  for (const reader of open) reader.close()
  if (timings.some(({ status, bytes }) => status !== 200 || bytes < minBytes)) {
    throw new Error(`${call.path} was not answered whole`)
  }
  const firstMs = timings.reduce((sum, timing) => sum + timing.firstMs, 0) / readers
  return { ms, cpuUs: (cpuUs - before.cpuUs) / readers, firstMs }
}

/** Samples the contestants in turn, `rounds` times after a warm-up, and returns the samples of each. */
export async function interleave<Name extends string>(
  contestants: Record<Name, () => Promise<Sample>>,
  rounds: number,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(contestants) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>
  for (const name of names) for (let i = 0; i < 3; i += 1) await contestants[name]()
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) samples[name].push(await contestants[name]())
  }
  return samples
}
