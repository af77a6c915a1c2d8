/**
 * The JSON-RPC 2.0 envelope (contract 1): one message in, one response out.
 */
import * as z from 'zod/mini'
import { type ErrorCode, ResolverError, type WireCode, wireErrors } from './errors.ts'

/** The method that reads one resource. */
export const readMethod = 'ai.nimblebrain/resources/read'

/** The method that lists the resources a server can read. */
export const listMethod = 'ai.nimblebrain/resources/list'

/** The id of a request: a string, or a number small enough to come back as it was sent. */
export const Id = z.union([
  z.string(),
  z.number().check(z.minimum(Number.MIN_SAFE_INTEGER), z.maximum(Number.MAX_SAFE_INTEGER)),
])
export type Id = z.infer<typeof Id>

/** One JSON-RPC 2.0 request or, without an id, notification. */
export const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(Id),
  method: z.string(),
  params: z.optional(z.unknown()),
})
export type Message = z.infer<typeof Message>

/** A malformed message; `id` is what could be read of it. */
export class EnvelopeError extends ResolverError {
  readonly id: Id | null

  constructor(code: ErrorCode, id: Id | null, detail?: string, cause?: unknown) {
    super(code, { ...(detail === undefined ? {} : { detail }), cause })
    this.id = id
  }
}

/** The one message that a body holds. Throws `parse-error` or `invalid-request`. */
export function parseMessage(body: Uint8Array): Message {
  const json = parseJson(body)
  const parsed = Message.safeParse(json)
  if (parsed.success) return parsed.data
  throw new EnvelopeError('invalid-request', readableId(json), adviceOn(json))
}

function adviceOn(json: unknown): string {
  if (Array.isArray(json)) return 'send one message, not a batch'
  const isHuge = isObject(json) && typeof json.id === 'number' && !Id.safeParse(json.id).success
  return isHuge
    ? 'an id must be a string, or a number from -(2^53 - 1) to 2^53 - 1'
    : 'send one JSON-RPC 2.0 request'
}

function isObject(json: unknown): json is { id?: unknown } {
  return typeof json === 'object' && json !== null
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new EnvelopeError('parse-error', null, undefined, error)
  }
}

function readableId(json: unknown): Id | null {
  const id = Id.safeParse(isObject(json) ? json.id : undefined)
  return id.success ? id.data : null
}

/** A failure as it goes on the wire. */
export interface WireError {
  readonly status: (typeof wireErrors)[WireCode]['status']
  readonly error: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

/** The wire form of a failure; what has no code of its own there is an internal error, without detail. */
export function wireError(error: unknown): WireError {
  if (!(error instanceof ResolverError) || !isWireCode(error.code)) return internal(wireErrors.internal)
  const { rpc, status } = wireErrors[error.code]
  if (rpc === wireErrors.internal.rpc) return internal(wireErrors[error.code])
  return { status, error: { code: rpc, message: error.message, ...(error.data ? { data: error.data } : {}) } }
}

function isWireCode(code: ErrorCode): code is WireCode {
  return code in wireErrors
}

function internal({ status, rpc, message }: (typeof wireErrors)[WireCode]): WireError {
  return { status, error: { code: rpc, message } }
}
