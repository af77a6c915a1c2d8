/**
 * The JSON-RPC 2.0 envelope (contract 1): one message in, one response out.
 */
import * as z from 'zod/mini'
import { type ErrorCode, ResolverError, type WireCode, wireErrors } from './errors.ts'

/** The method that reads one resource. */
export const readMethod = 'ai.nimblebrain/resources/read'

/** The method that lists the resources a server can read. */
export const listMethod = 'ai.nimblebrain/resources/list'

/** The id of a request: a string or a finite number. */
export const Id = z.union([z.string(), z.number()])
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
  const detail = Array.isArray(json) ? 'send one message, not a batch' : 'send one JSON-RPC 2.0 request'
  throw new EnvelopeError('invalid-request', readableId(json), detail)
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new EnvelopeError('parse-error', null, undefined, error)
  }
}

function readableId(json: unknown): Id | null {
  if (typeof json !== 'object' || json === null || !('id' in json)) return null
  const id = Id.safeParse(json.id)
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
