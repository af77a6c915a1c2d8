// Errors as DynamoDB puts them on the wire: HTTP 400 with {__type, message, …}.
// Whatever is not one of these is a fault of the emulator and is answered as 500 InternalServerError.

const namespace = 'com.amazonaws.dynamodb.v20120810#'

/** A refusal with the body that the SDK turns into its typed exception. */
export class DynamoError extends Error {
  readonly body: Record<string, unknown>

  constructor(body: Record<string, unknown>) {
    super(String(body.message ?? body.__type))
    this.body = body
  }
}

/** Throws the refusal `type`, with members beyond the message in `extra`. */
export function refuse(type: string, message: string, extra: Record<string, unknown> = {}): never {
  throw new DynamoError({ __type: namespace + type, message, ...extra })
}

/** The error as one of ours: dynalite's own carry the wire body, and everything else is returned as it is. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof DynamoError || !(error instanceof Error) || !('body' in error)) return error
  return isRecord(error.body) ? new DynamoError({ ...error.body }) : error
}

/** The name of a refusal without its namespace, `undefined` for any other error. */
export function refusalType(error: unknown): string | undefined {
  if (!(error instanceof DynamoError)) return undefined
  return String(error.body.__type).split('#').pop()
}

/** Whether a parsed JSON value is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
