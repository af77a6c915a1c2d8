/**
 * A function URL on this machine: HTTP in, the production bundle in Lambda's runtime behind it, streamed answers out.
 * `FRONT=lambda` puts it in the place of Node's server, so that a whole suite runs through it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { buildFunctions } from '../../infra/bundle.ts'
import type { Log } from '../../lib/log.ts'
import { opened, trailingError } from './answer.ts'
import { urlEvent } from './event.ts'
import { type Runtime, startRuntime } from './runtime.ts'

/** A front of the service, whichever it is. */
export interface Front {
  readonly url: string
  close(): Promise<void>
}

/** Builds the bundle and starts a function URL for it; `log` is told what the function logs. */
export async function startLambdaFront(
  environment: Record<string, string>,
  { log = (() => {}) as Log, maxInstances = 4 } = {},
): Promise<Front & { runtime: Runtime }> {
  const dir = await mkdtemp(join(tmpdir(), 'lambda-'))
  await buildFunctions(dir)
  const runtime = await startRuntime(join(dir, 'resolver'), environment, {
    maxInstances,
    onLine: (line) => forward(line, log),
  })
  const server = createServer((req, res) => {
    answer(runtime, req, res).catch(() => res.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runtime,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await runtime.close()
      await rm(dir, { recursive: true })
    },
  }
}

/** What the service logged, and not what the runtime adds. */
function forward(line: string, log: Log): void {
  if (!line.startsWith('{"time":')) return
  const { time: _, level, event, ...fields } = JSON.parse(line)
  log(level, event, fields)
}

async function answer(runtime: Runtime, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, [value].flat().join(',')]),
  )
  const { method = 'GET', url: target = '/' } = req
  const posted = await runtime.invoke(urlEvent({ method, target, headers, body: Buffer.concat(chunks) }))
  if (posted.kind === 'error') {
    res.writeHead(502, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}')
    return
  }
  const { prelude, body } = await opened(posted.request)
  res.writeHead(prelude.statusCode, { ...prelude.headers, 'set-cookie': [...prelude.cookies] })
  try {
    await pipeline(body, res, { end: false })
  } finally {
    posted.request.resume() // a client that leaves does not end the invocation
  }
  if (trailingError(posted.request)) res.destroy()
  else res.end()
}
