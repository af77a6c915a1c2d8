/**
 * One HTTP exchange with the service: a frame out, a whole JSON-RPC response in. HTTP status speaks of the transport
 * and the JSON-RPC error of the call (contract 1); nothing that is cut, redirected or foreign counts as an answer.
 */
import { type FileErrorOptions, FileResolverError, transportFailure } from './errors.ts'

/** A frame to send, and where. */
export interface Outgoing {
  readonly fetch: typeof fetch
  readonly url: string
  readonly token: string
  readonly id: number
  readonly body: string
  readonly maxReadBytes: number | undefined
  /** Longest silence while the body comes. */
  readonly idleMs: number
  readonly maxResponseBytes: number
  /** Aborts the exchange; its reason is thrown. */
  readonly signal: AbortSignal
}

/** A result and the bytes that its response took. */
export interface Answer {
  readonly result: Record<string, unknown>
  readonly bytes: number
}

/** A failure of this exchange that may be repeated, after a pause that the service may have named. */
export interface Repeatable {
  readonly error: FileResolverError
  /** Undefined for a connection that failed before anything came back. */
  readonly retryAfterMs: number | undefined
}

/** Thrown when the service did not accept the token. */
export const refusedCredential = 'the service refused the credential (401)'

/** The answer, or what may be repeated. Throws everything else. */
export async function exchange(out: Outgoing, nowMs: number): Promise<Answer | Repeatable> {
  let response: Response
  try {
    response = await out.fetch(out.url, {
      method: 'POST',
      redirect: 'manual', // a redirect would carry the token to whoever is named there
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${out.token}`,
        ...(out.maxReadBytes === undefined ? {} : { 'max-read-bytes': String(out.maxReadBytes) }),
      },
      body: out.body,
      signal: out.signal,
    })
  } catch (error) {
    if (out.signal.aborted) throw out.signal.reason
    return { error: transportFailure('the service could not be reached', error), retryAfterMs: undefined }
  }
  if (response.status === 200) return answerOf(await readJson(response, out), out.id)
  return refusalOf(response, out, nowMs)
}

async function refusalOf(response: Response, out: Outgoing, nowMs: number): Promise<Repeatable> {
  const { status, headers } = response
  // these say enough by themselves: a body that is empty, cut or endless must not hide them
  const isTold = status < 400 || status === 401 || status === 503
  const body = !isTold && hasJson(response) ? await readJson(response, out) : undefined
  if (!body) await response.body?.cancel().catch(() => {})
  if (status === 401) throw transportFailure(refusedCredential)
  if (status >= 300 && status < 400) throw transportFailure(`the service redirects (${status}), not followed`)
  const error = transportFailure(`the service answered ${status}`)
  if (status === 503) {
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'), nowMs)
    if (retryAfterMs === undefined) throw error
    return { error, retryAfterMs }
  }
  throw (body && errorOf(body.json)) ?? error
}

/** Milliseconds that a `Retry-After` header asks for: seconds or a date; undefined when there is none to be read. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const atMs = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

interface Body {
  readonly json: unknown
  readonly bytes: number
}

function answerOf({ json, bytes }: Body, id: number): Answer {
  const message = isObject(json) && json.jsonrpc === '2.0' && json.id === id ? json : undefined
  if (message && isObject(message.result) && !('error' in message)) return { result: message.result, bytes }
  throw (message && errorOf(message)) ?? transportFailure('the service answered something else than asked')
}

function errorOf(json: unknown): FileResolverError | undefined {
  if (!isObject(json) || json.jsonrpc !== '2.0' || 'result' in json || !isObject(json.error)) return undefined
  const { code, message, data } = json.error
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return undefined
  const options: FileErrorOptions = isObject(data) ? { data } : {}
  return new FileResolverError(code, typeof message === 'string' ? message : 'Error', options)
}

/** The parsed body; throws unless it came whole. */
async function readJson(response: Response, out: Outgoing): Promise<Body> {
  if (!hasJson(response)) {
    await response.body?.cancel().catch(() => {})
    throw transportFailure(
      `the service answered ${response.headers.get('content-type') ?? 'no content type'}`,
    )
  }
  const { text, bytes } = await readText(response, out)
  try {
    return { json: JSON.parse(text), bytes }
  } catch (error) {
    throw transportFailure('the answer is not whole', error)
  }
}

async function readText(response: Response, out: Outgoing): Promise<{ text: string; bytes: number }> {
  const reader = response.body?.getReader()
  if (!reader) throw transportFailure('the answer is empty')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parts: string[] = []
  let bytes = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let silent = false
  try {
    for (;;) {
      timer = setTimeout(() => {
        silent = true
        reader.cancel().catch(() => {})
      }, out.idleMs)
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (silent) throw new Error(`nothing came for ${out.idleMs} ms`)
      if (done) break
      bytes += value.length
      if (bytes > out.maxResponseBytes) throw new Error(`the answer is over ${out.maxResponseBytes} bytes`)
      if (value.includes(0)) throw new Error('the answer is not JSON: invoke the function by its URL')
      parts.push(decoder.decode(value, { stream: true }))
    }
    parts.push(decoder.decode())
  } catch (error) {
    reader.cancel().catch(() => {})
    if (out.signal.aborted) throw out.signal.reason
    throw transportFailure('the answer broke off', error)
  } finally {
    clearTimeout(timer)
  }
  return { text: parts.join(''), bytes }
}

function hasJson(response: Response): boolean {
  return /^application\/json\s*(;|$)/i.test(response.headers.get('content-type') ?? '')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
