/**
 * An S3 endpoint in this process, over real sockets and for the real SDK: path-style, in memory or in a folder. It does
 * the part of S3 that this project uses as S3 does it, and says 501 to the rest.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { authorise, type Credentials } from './authorise.ts'
import { type Call, type HeaderMap, parseCall, type Reply } from './call.ts'
import type { Cloud } from './cloud.ts'
import { corsHeaders, preflight } from './cors.ts'
import { errorDocument, S3Error } from './errors.ts'
import { createEvent, type S3Event } from './events.ts'
import { findOperation } from './routes.ts'
import { openStore } from './store.ts'

/** A running emulator. */
export interface S3Emulator {
  endpoint: string
  port: number
  close(): Promise<void>
}

/** How to run it; everything has a default. */
export interface S3Options {
  /** 0, the default, takes any free port. */
  port?: number
  host?: string
  /** Where to keep everything; in memory when absent. One process at a time. */
  dir?: string
  region?: string
  /** When given, every signature is verified against them. */
  credentials?: Credentials
  now?: () => number
  /** Called after each change, before its request is answered. */
  onEvent?: (event: S3Event) => void
}

/** Starts an emulator and resolves once it listens. */
export async function startS3(options: S3Options = {}): Promise<S3Emulator> {
  const {
    port = 0,
    host = '127.0.0.1',
    dir,
    region = 'us-east-1',
    credentials,
    now = Date.now,
    onEvent,
  } = options
  const store = await openStore(dir, now)
  const cloud: Cloud = {
    store,
    region,
    now,
    notify(name, bucket, version) {
      const event = createEvent(name, bucket, version, {
        region,
        timeMs: now(),
        sequence: store.nextSequence(),
      })
      // Outside the request, so that a receiver that throws does not undo what has been stored.
      if (onEvent) setImmediate(onEvent, event)
    },
  }
  // A paused upload or a slow reader is no fault here, and an SDK must not meet a connection that is just closing.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (message, response) => {
    serve(message, response, cloud, credentials).catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const actualPort = typeof address === 'object' && address ? address.port : port
  return {
    endpoint: `http://${host}:${actualPort}`,
    port: actualPort,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      store.close()
    },
  }
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  cloud: Cloud,
  credentials: Credentials | undefined,
): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase()
  let common: HeaderMap = { 'x-amz-request-id': requestId }
  let reply: Reply
  try {
    const call = parseCall(message)
    common = { ...common, ...crossOrigin(call, cloud) }
    reply = await answer(call, cloud, credentials)
  } catch (error) {
    // The rest of a refused body is read and dropped, so that the client sees the refusal and not a reset.
    message.resume()
    reply = refuse(error, message, requestId)
  }
  await send(response, reply, common)
}

async function answer(call: Call, cloud: Cloud, credentials: Credentials | undefined): Promise<Reply> {
  if (call.method === 'OPTIONS') return preflight(corsDocument(call, cloud), call.headers)
  authorise(call, credentials, cloud.now())
  return findOperation(call)(call, cloud)
}

function crossOrigin(call: Call, cloud: Cloud): HeaderMap {
  return call.method === 'OPTIONS' ? {} : corsHeaders(corsDocument(call, cloud), call.method, call.headers)
}

function corsDocument(call: Call, cloud: Cloud): string | undefined {
  return cloud.store.state.buckets.get(call.bucket)?.settings.cors
}

function refuse(error: unknown, message: IncomingMessage, requestId: string): Reply {
  const known = error instanceof S3Error
  // A fault of the emulator itself; that a client went away is none.
  if (!known && !message.destroyed) console.error('S3 emulator:', error)
  const refusal = known ? error : new S3Error(500, 'InternalError', 'We encountered an internal error.')
  const headers = { ...refusal.headers, 'content-type': 'application/xml' }
  if (refusal.status === 304) return { status: 304, headers: refusal.headers }
  return { status: refusal.status, headers, body: errorDocument(refusal, message.url ?? '/', requestId) }
}

async function send(response: ServerResponse, reply: Reply, common: HeaderMap): Promise<void> {
  const { status, headers, body, stream } = reply
  const hasNoBody = status === 204 || status === 304 || headers?.['content-length'] !== undefined
  const length = hasNoBody ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }
  response.writeHead(status, { ...common, ...length, ...headers })
  if (!stream) {
    response.end(response.req.method === 'HEAD' ? undefined : body)
    return
  }
  // A reader that has gone already would leave the file open.
  if (response.destroyed) return void stream.destroy()
  // Follows the reader's pace, and closes the file when either side goes away.
  await pipeline(stream, response)
}
