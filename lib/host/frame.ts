/**
 * The size of the message that carries a result. A reader that is sent a longer one than it accepts gives up the whole
 * connection, so the call is refused instead.
 */
import { errorCodes, FileResolverError } from './errors.ts'
import type { Answer } from './exchange.ts'

/** Room for the envelope: `jsonrpc`, the server's own request id, and the line feed of stdio. */
const envelopeBytes = 1_024

/** Throws -32005 when the result would make a frame over the limit; `size` is then the frame's. */
export function fitFrame(answer: Answer, maxFrameBytes: number, uri: string | undefined): void {
  if (answer.bytes + envelopeBytes <= maxFrameBytes) return // JSON.stringify escapes no more than the service does
  const size = byteLength(JSON.stringify(answer.result)) + envelopeBytes
  if (size <= maxFrameBytes) return
  const data = { ...(uri === undefined ? {} : { uri }), size, maxSize: maxFrameBytes }
  throw new FileResolverError(
    errorCodes.tooLarge,
    'Response too large: the message would exceed the transport',
    { data },
  )
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
