/**
 * The HTTP surface (contract 1). What happens to a call is the order of steps in `rpc`: body limit → authenticate →
 * envelope → throttle (a read looks its item up meanwhile) → read | list.
 */
import { type Context, Hono } from 'hono'
import type { Caller } from './access.ts'
import { beginTrail, requestIdOf } from './audit.ts'
import type { Authenticate } from './auth.ts'
import { gather, streamOf } from './body.ts'
import type { Chunk } from './encode.ts'
import { ResolverError, type WireCode } from './errors.ts'
import { monotonicMs, untilEven } from './even.ts'
import type { FileIndex } from './files.ts'
import type { Health } from './health.ts'
import { maxBodyBytes } from './limits.ts'
import { list } from './list.ts'
import { describeError, type Log } from './log.ts'
import { type Meter, outcomeOf } from './metrics.ts'
import type { ObjectStore } from './objects.ts'
import { capability, openApi } from './openapi.ts'
import { fileIdIn } from './params.ts'
import { read } from './read.ts'
import {
  EnvelopeError,
  type Id,
  listMethod,
  type Message,
  parseMessage,
  readMethod,
  wireError,
} from './rpc.ts'
import type { Throttle } from './throttle.ts'

/** Everything the app works with, built once by the entry. */
export interface AppDeps {
  readonly authenticate: Authenticate
  readonly throttle: Throttle
  readonly files: FileIndex
  readonly objects: ObjectStore
  readonly health: Health
  readonly log: Log
  readonly meter: Meter
  readonly maxReadBytes: number
  /** Longest wait for the first byte of an answer, in milliseconds. */
  readonly firstByteMs: number
}

/**
 * What a front hands in with each request: its body, no more than one byte over the limit, whatever `content-length`
 * says; and a signal that aborts when the client has gone or takes too long.
 */
export interface AppEnv {
  Bindings: { readonly body?: Uint8Array; readonly signal?: AbortSignal }
  Variables: { requestId: string }
}

/** The app, ready for any front that speaks `Request` and `Response`. */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>()

  app.use(async function everyAnswer(c, next) {
    c.set('requestId', requestIdOf(c.req.header('x-request-id')))
    c.header('cache-control', 'no-store')
    c.header('x-content-type-options', 'nosniff')
    c.header('x-request-id', c.get('requestId'))
    await next()
  })

  app.post('/rpc', async function rpc(c) {
    const beganMs = monotonicMs()
    const trail = beginTrail(deps.log, c.get('requestId'))
    const measured = deps.meter.begin(trail.end)
    let id: Id | null = null
    try {
      const body = await readBody(c)
      const caller = await deps.authenticate(c.req.header('authorization'))
      trail.by(caller)
      requireJson(c.req.header('content-type'))
      const message = parseMessage(body)
      id = message.id ?? null
      if (message.id === undefined) {
        measured.end('notification')
        return c.body(null, 202)
      }
      if (message.method === readMethod) trail.about(fileIdIn(message.params))
      const maxBytes = readLimit(c.req.header('max-read-bytes'), deps.maxReadBytes)
      const answer = await measured.storage(message.method, () =>
        withDeadline(deps.firstByteMs, c.env.signal, async (signal) =>
          gather(respond(message.id ?? null, await call(deps, caller, message, maxBytes, signal))),
        ),
      )
      const isWhole = answer instanceof Uint8Array
      if (isWhole) measured.end('ok', answer.length)
      return c.body(streamOf(isWhole ? answer : measured.answer(answer)), 200, {
        'content-type': 'application/json',
      })
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome === 'not-found') await untilEven(beganMs)
      measured.end(outcome === 'unavailable' && c.env.signal?.aborted ? 'broken' : outcome)
      return failure(c, error instanceof EnvelopeError ? error.id : id, error, deps.log)
    }
  })

  app.get('/capability', (c) => c.json(capability(deps.maxReadBytes)))
  app.get('/openapi.json', (c) => c.json(openApi(deps.maxReadBytes)))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async function readyz(c) {
    const failing = await deps.health()
    return failing.length === 0 ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable', failing }, 503)
  })

  app.all('/rpc', (c) => c.json({ error: 'method_not_allowed' }, 405, { allow: 'POST' }))
  for (const path of ['/capability', '/openapi.json', '/healthz', '/readyz']) {
    app.all(path, (c) => c.json({ error: 'method_not_allowed' }, 405, { allow: 'GET, HEAD' }))
  }
  app.notFound((c) => c.json({ error: 'not_found' }, 404))
  app.onError((error, c) => failure(c, null, error, deps.log))
  return app
}

function call(
  deps: AppDeps,
  caller: Caller,
  { method, params }: Message,
  maxBytes: number | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<Chunk>> {
  if (maxBytes === undefined) {
    return refuse(deps.throttle, caller, 'invalid-request', 'Max-Read-Bytes must be a whole number of bytes')
  }
  if (method === readMethod) return read(deps, { caller, params, maxBytes, signal })
  if (method === listMethod) return list(deps, { caller, params, signal })
  return refuse(deps.throttle, caller, 'unknown-method')
}

/** A request that fails whatever storage says costs a token as well (contract 6). */
async function refuse(throttle: Throttle, caller: Caller, code: WireCode, detail?: string): Promise<never> {
  await throttle.take(caller)
  throw new ResolverError(code, detail === undefined ? {} : { detail })
}

async function* respond(id: Id | null, result: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  yield Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
  yield* result
  yield '}'
}

async function readBody(c: Context<AppEnv>): Promise<Uint8Array> {
  const body = c.env?.body ?? new Uint8Array(await c.req.arrayBuffer())
  if (body.length > maxBodyBytes)
    throw new EnvelopeError('body-too-large', null, `at most ${maxBodyBytes} bytes`)
  return body
}

/** An absent content type is taken for JSON: some gateways drop it. */
function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.!#$&^+-]+\+json)\s*(;|$)/i.test(contentType))
    return
  throw new EnvelopeError('not-json', null)
}

/** `Max-Read-Bytes` may lower the limit for one request, never raise it; undefined when it is no number. */
function readLimit(header: string | undefined, maxReadBytes: number): number | undefined {
  if (header === undefined) return maxReadBytes
  return /^\d+$/.test(header) ? Math.min(maxReadBytes, Number(header)) : undefined
}

/** Runs with a signal that aborts with the client's or when the time for the first byte is over. */
async function withDeadline<T>(
  ms: number,
  client: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), ms)
  if (client?.aborted) abort.abort() // it left before this, and no event will tell
  client?.addEventListener('abort', () => abort.abort(), { once: true })
  try {
    return await run(abort.signal)
  } finally {
    clearTimeout(timer)
  }
}

function failure(c: Context<AppEnv>, id: Id | null, error: unknown, log: Log): Response {
  if (error instanceof ResolverError && error.code === 'unauthenticated') {
    const sent = c.req.header('authorization') !== undefined
    const challenge = sent ? 'Bearer error="invalid_token"' : 'Bearer'
    return c.json({ error: 'invalid_token' }, 401, { 'www-authenticate': challenge })
  }
  const wire = wireError(error)
  const isForNobody = c.env?.signal?.aborted === true // what fails because the client left is no trouble of ours
  if (wire.error.code === -32603 && !isForNobody)
    log('error', 'internal-error', { requestId: c.get('requestId'), error: describeError(error) })
  const retryAfterSec =
    wire.status === 503 ? 1 : Math.ceil(Number(wire.error.data?.retryAfterMs ?? 0) / 1_000)
  if (retryAfterSec > 0) c.header('retry-after', String(retryAfterSec))
  return c.json({ jsonrpc: '2.0', id, error: wire.error }, wire.status)
}
