/**
 * The client of the service: `read` and `list` for a caller, over pooled connections. It repeats only what is safe and
 * cheap, within one bound of time, and never a call that the service has begun to answer.
 */
import type { Caller } from '../access.ts'
import { maxBodyBytes } from '../limits.ts'
import type { Signer } from '../token.ts'
import { type Capability, type CapabilitySource, createCapabilitySource } from './capability.ts'
import { errorCodes, FileResolverError, timedOut, transportFailure } from './errors.ts'
import { type Answer, exchange, refusedCredential } from './exchange.ts'
import { pause, pauseBefore, until } from './pauses.ts'
import { checkCaller, createTokens, type Tokens } from './tokens.ts'

/** The method that reads one resource. */
export const readMethod = 'ai.nimblebrain/resources/read'

/** The method that lists the resources a server can read. */
export const listMethod = 'ai.nimblebrain/resources/list'

/** A file as read: text, or base64 in `blob`. */
export interface FileContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

/** The result of a read, as MCP's `resources/read` has it. */
export interface ReadResult {
  readonly contents: readonly FileContents[]
}

/** The result of a list, as MCP's `resources/list` has it. */
export interface ListResult {
  readonly resources: readonly {
    readonly uri: string
    readonly name: string
    readonly mimeType?: string
    readonly size?: number
  }[]
}

/** What one call may say besides its parameters. */
export interface CallOptions {
  /** Lowers the read limit of this call, in bytes. */
  readonly maxReadBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Where the service is, who signs, and how long to try. */
export interface ClientOptions {
  /** Base URL of the service, without `/rpc`. */
  readonly url: string | URL
  /** Signs tokens with the host's private key; or give `token`. */
  readonly signer?: Signer | Promise<Signer>
  /** Gives a token for a caller, in place of `signer`; its caching is the host's. */
  readonly token?: (caller: Caller) => string | Promise<string>
  /** Advertised until the service has told its own capability. */
  readonly capability?: Capability
  /** Life of a signed token in seconds, at most 900. */
  readonly tokenTtlSec?: number
  /** Longest time of a call with all its retries: below the 60 s that MCP SDKs wait for an answer. */
  readonly timeoutMs?: number
  /** Longest silence once an answer has begun. */
  readonly idleMs?: number
  /** How often a call is sent at most. */
  readonly maxAttempts?: number
  /** A 503 that asks for a longer pause is not repeated. */
  readonly maxRetryAfterMs?: number
  /** Largest answer, in bytes. */
  readonly maxResponseBytes?: number
  readonly fetch?: typeof fetch
  readonly now?: () => number
  readonly random?: () => number
}

/** Reads and lists for any caller. */
export interface FileResolverClient {
  /** Base URL of the service, ending in a slash. */
  readonly url: string
  read(uri: string, caller: Caller, options?: CallOptions): Promise<ReadResult>
  list(
    params: Record<string, unknown> | undefined,
    caller: Caller,
    options?: CallOptions,
  ): Promise<ListResult>
  /** Sends a frame's method and parameters as they are. */
  request(method: string, params: unknown, caller: Caller, options?: CallOptions): Promise<Answer>
  /** What the service advertises, or the last that is known of it; never fails. */
  capability: CapabilitySource
}

/** Longest wait for the capability: a server is about to be connected. */
const capabilityMs = 2_000

/** Builds a client; one for a process is enough. */
export function createFileResolverClient(options: ClientOptions): FileResolverClient {
  const { timeoutMs = 55_000, idleMs = 20_000, maxAttempts = 3, maxRetryAfterMs = 5_000 } = options
  const { maxResponseBytes = 128 * 1024 ** 2, now = Date.now, random = Math.random } = options
  const send = options.fetch ?? fetch
  const url = new URL(`${String(options.url).replace(/\/+$/, '')}/`)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('url must begin with https:// or http://')
  const tokens = tokensOf(options, now)
  let lastId = 0

  async function request(
    method: string,
    params: unknown,
    caller: Caller,
    call: CallOptions = {},
  ): Promise<Answer> {
    checkCaller(caller)
    lastId += 1
    const id = lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    if (new TextEncoder().encode(body).length > maxBodyBytes) {
      throw new FileResolverError(errorCodes.invalidParams, `Invalid params: over ${maxBodyBytes} bytes`)
    }
    const endMs = now() + timeoutMs
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = call.signal ? AbortSignal.any([deadline, call.signal]) : deadline
    const outgoing = { fetch: send, url: new URL('rpc', url).href, id, body, maxReadBytes: call.maxReadBytes }
    try {
      for (let attempt = 1; ; attempt += 1) {
        const token = await until(tokens.of(caller), signal)
        const got = await exchange({ ...outgoing, token, idleMs, maxResponseBytes, signal }, now())
        if ('result' in got) return got
        const pauseMs = pauseBefore(got.retryAfterMs, attempt, maxRetryAfterMs, random)
        if (attempt >= maxAttempts || pauseMs === undefined || now() + pauseMs >= endMs) throw got.error
        await pause(pauseMs, signal)
      }
    } catch (error) {
      if (deadline.aborted) throw timedOut(error)
      if (error instanceof FileResolverError && error.message === refusedCredential) tokens.forget(caller)
      throw error instanceof FileResolverError ? error : transportFailure('the call was given up', error)
    }
  }

  async function askCapability(): Promise<unknown> {
    const signal = AbortSignal.timeout(capabilityMs)
    const response = await send(new URL('capability', url), { redirect: 'manual', signal })
    if (response.status === 200) return response.json()
    await response.body?.cancel()
    return undefined
  }

  return {
    url: url.href,
    request,
    capability: createCapabilitySource({ ask: askCapability, configured: options.capability, now }),
    async read(uri, caller, call) {
      const { result } = await request(readMethod, { uri }, caller, call)
      if (isReadResult(result)) return result
      throw transportFailure('the service answered something else than contents')
    },
    async list(params, caller, call) {
      const { result } = await request(listMethod, params, caller, call)
      if (isListResult(result)) return result
      throw transportFailure('the service answered something else than resources')
    },
  }
}

function tokensOf(options: ClientOptions, now: () => number): Tokens {
  const { signer, token, tokenTtlSec = 300 } = options
  if (token) return { of: async (caller) => token(caller), forget() {} }
  if (!signer) throw new TypeError('createFileResolverClient needs a signer or a token function')
  if (!(tokenTtlSec > 0 && tokenTtlSec <= 900)) throw new TypeError('tokenTtlSec must be within 1 and 900')
  return createTokens({ signer, ttlSec: tokenTtlSec, now })
}

function isReadResult(result: object): result is ReadResult {
  return 'contents' in result && Array.isArray(result.contents)
}

function isListResult(result: object): result is ListResult {
  return 'resources' in result && Array.isArray(result.resources)
}
