/**
 * The one error of the host side. `code` and `data` are those of JSON-RPC; `transport` says whether the call got an
 * answer at all, so that a host can tell an outage from a refusal by type, never by the text of a message.
 */

/** JSON-RPC numbers that a host meets; those of the service are in its contract. */
export const errorCodes = {
  timedOut: -32001,
  notFound: -32002,
  rateLimited: -32004,
  tooLarge: -32005,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const

/** What an error may carry besides its code and message. */
export interface FileErrorOptions {
  readonly data?: Record<string, unknown> | undefined
  readonly transport?: boolean
  readonly cause?: unknown
}

/** A read or list that failed. */
export class FileResolverError extends Error {
  /** The JSON-RPC error number. */
  readonly code: number
  /** The JSON-RPC error data, as the service sent it. */
  readonly data: Record<string, unknown> | undefined
  /**
   * True when no answer about the call was had: nobody to ask for, network, time-out, redirect, refused credential,
   * 503, or a body that is not a whole JSON-RPC response. False when the service, or a limit of the connection,
   * refused the call.
   */
  readonly transport: boolean

  constructor(code: number, message: string, options: FileErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'FileResolverError'
    this.code = code
    this.data = options.data
    this.transport = options.transport ?? false
  }
}

/** A call that got no answer. */
export function transportFailure(message: string, cause?: unknown): FileResolverError {
  return new FileResolverError(errorCodes.internal, message, { transport: true, cause })
}

/** A call whose answer did not come, or did not end, in time. */
export function timedOut(cause?: unknown): FileResolverError {
  return new FileResolverError(errorCodes.timedOut, 'Request timed out', { transport: true, cause })
}
