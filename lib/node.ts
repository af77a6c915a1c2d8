/**
 * The front on Node's HTTP server: reads a bounded body, lets the app answer, and pumps a streamed answer into the
 * socket. A client that goes away, or takes nothing for too long, aborts everything that is under way for it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Hono } from 'hono'
import type { AppEnv } from './app.ts'
import { bodyOf, pump } from './body.ts'
import { maxBodyBytes } from './limits.ts'
import { describeError, type Log } from './log.ts'
import { badRequest, toRequest } from './request.ts'

/** How long an answer may take once it has begun, in milliseconds (contract 9). */
export interface ResponseTimes {
  /** Without the reader taking anything. */
  readonly idleMs: number
  /** In all. */
  readonly responseMs: number
}

/** An HTTP server for the app, not yet listening. */
export function createHttpServer(app: Hono<AppEnv>, times: ResponseTimes, log: Log): Server {
  return createServer({ headersTimeout: 15_000, requestTimeout: 30_000 }, (req, res) => {
    serve(app, times, req, res).catch((error: unknown) => {
      if (!res.destroyed) log('error', 'response-broken', { error: describeError(error) })
      res.destroy()
    })
  })
}

async function serve(
  app: Hono<AppEnv>,
  times: ResponseTimes,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const body = await readBody(req)
  if (body === undefined) return
  const request = toRequest({
    method: req.method ?? 'GET',
    target: req.url ?? '/',
    headers: pairs(req.rawHeaders),
  })
  const response = request ? await app.fetch(request, { signal: gone.signal, body }) : badRequest()
  await send(response, times, req.method === 'HEAD', res)
}

async function send(
  response: Response,
  times: ResponseTimes,
  headOnly: boolean,
  res: ServerResponse,
): Promise<void> {
  const body = headOnly ? new Uint8Array() : await bodyOf(response)
  const isWhole = body instanceof Uint8Array
  const headers = Object.fromEntries(response.headers)
  const hasLength = isWhole && !headOnly && response.status !== 202
  res.writeHead(response.status, hasLength ? { ...headers, 'content-length': body.length } : headers)
  res.setTimeout(times.idleMs) // Node notices what the kernel takes of a pending write, and destroys the idle socket
  if (isWhole) {
    res.end(body)
    return
  }
  const timer = setTimeout(() => res.destroy(), times.responseMs)
  try {
    await pump(body, res)
    res.end()
  } finally {
    clearTimeout(timer)
  }
}

/** At most one byte over the limit, undefined when the client left; what follows is discarded as it comes. */
function readBody(req: IncomingMessage): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBodyBytes) finish()
    }
    const finish = () => {
      req.off('data', onData)
      req.resume()
      resolve(Buffer.concat(chunks, Math.min(size, maxBodyBytes + 1)))
    }
    req.on('data', onData)
    req.once('end', finish)
    req.once('close', () => resolve(undefined))
    req.on('error', () => resolve(undefined))
  })
}

function* pairs(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [raw[i] ?? '', raw[i + 1] ?? '']
}
