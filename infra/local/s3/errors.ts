/**
 * Refusals in S3's own vocabulary: a status, a code that the SDK turns into the error's name, and a message.
 */
import type { HeaderMap } from './call.ts'
import { element } from './xml.ts'

/** A refusal that is answered as S3's XML error document. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  readonly code: string
  readonly headers: HeaderMap
  readonly detail: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: HeaderMap = {},
    detail: Record<string, string> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
    this.detail = detail
  }
}

/** 400 InvalidArgument, for a parameter that has no meaning. */
export function invalidArgument(message: string): S3Error {
  return new S3Error(400, 'InvalidArgument', message)
}

/** 501 NotImplemented: said aloud, so that no request is half obeyed. */
export function notImplemented(what: string): S3Error {
  return new S3Error(501, 'NotImplemented', `This emulator does not implement ${what}`)
}

/** 412 PreconditionFailed, naming the header that did not hold. */
export function preconditionFailed(condition: string): S3Error {
  const message = 'At least one of the pre-conditions you specified did not hold'
  return new S3Error(412, 'PreconditionFailed', message, {}, { Condition: condition })
}

/** 404 NoSuchKey, with the headers that tell of a delete marker. */
export function noSuchKey(key: string, headers: HeaderMap = {}): S3Error {
  return new S3Error(404, 'NoSuchKey', 'The specified key does not exist.', headers, { Key: key })
}

/** The error document of a refusal. */
export function errorDocument(error: S3Error, resource: string, requestId: string): string {
  const detail = Object.entries(error.detail).map(([name, value]) => element(name, value))
  const common = [
    element('Code', error.code),
    element('Message', error.message),
    ...detail,
    element('Resource', resource),
    element('RequestId', requestId),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${common.join('')}</Error>`
}
