/**
 * The one error class, and the one table from its code to the wire: JSON-RPC number, HTTP status, public message.
 * What is not in the table is internal: logged with its cause, shown to nobody.
 */

/** Code → JSON-RPC number, HTTP status and public message (contract 1, 3, 4, 6). */
export const wireErrors = {
  'parse-error': { rpc: -32700, status: 400, message: 'Parse error' },
  'invalid-request': { rpc: -32600, status: 400, message: 'Invalid Request' },
  'body-too-large': { rpc: -32600, status: 413, message: 'Request body too large' },
  'not-json': { rpc: -32600, status: 415, message: 'Content-Type must be application/json' },
  'unknown-method': { rpc: -32601, status: 200, message: 'Method not found' },
  'invalid-params': { rpc: -32602, status: 200, message: 'Invalid params' },
  'not-found': { rpc: -32002, status: 200, message: 'Resource not found' },
  'rate-limited': { rpc: -32004, status: 200, message: 'Rate limited' },
  'too-large': { rpc: -32005, status: 200, message: 'Response too large' },
  unavailable: { rpc: -32603, status: 503, message: 'Internal error' },
  internal: { rpc: -32603, status: 500, message: 'Internal error' },
} as const

/** A code that has a form on the wire. */
export type WireCode = keyof typeof wireErrors

/** A wire code, or what only the functions that store files report: a limit broken, an id taken, a lost race. */
export type ErrorCode = WireCode | 'unauthenticated' | 'limit' | 'exists' | 'conflict'

/** What an error may carry: `data` goes on the wire, `detail` is added to the public message, `cause` is only logged. */
export interface ErrorOptions {
  data?: Record<string, unknown>
  detail?: string
  cause?: unknown
}

/** Every failure that the service knows by name. */
export class ResolverError extends Error {
  readonly code: ErrorCode
  readonly data: Record<string, unknown> | undefined

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const { detail } = options
    const known = code in wireErrors ? wireErrors[code as WireCode].message : undefined
    super([known, detail].filter(Boolean).join(': ') || code, { cause: options.cause })
    this.name = 'ResolverError'
    this.code = code
    this.data = options.data
  }
}

/** Storage that fails, is throttled past the retries, or answers nonsense: 503 and never "not found". */
export function unavailable(what: string, cause?: unknown): ResolverError {
  return new ResolverError('unavailable', { cause: new Error(what, { cause }) })
}

/** A request whose parameters break the contract; `detail` tells the author of the server what to do. */
export function invalidParams(detail: string, data?: Record<string, unknown>): ResolverError {
  return new ResolverError('invalid-params', data ? { detail, data } : { detail })
}

/** A file that cannot be stored or changed as asked; `detail` says which limit, and what to do. */
export function limitExceeded(detail: string): ResolverError {
  return new ResolverError('limit', { detail })
}

/** A file that is to be changed or deleted and is not there; told to its host only, never to a caller. */
export function noSuchFile({ workspaceId, fileId }: { workspaceId: string; fileId: string }): ResolverError {
  return new ResolverError('not-found', { detail: `workspace "${workspaceId}" has no file ${fileId}` })
}
