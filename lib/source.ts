/**
 * The bytes of a stream that is uploaded: exactly as many as were announced. S3 stores an object as soon as it has so
 * many, so each piece is held back until the source has shown whether another follows.
 */
import { Readable } from 'node:stream'
import { limitExceeded } from './errors.ts'

/** What to send of a source of `size` bytes; `broken` aborts, with the reason, when it fails or has another length. */
export async function uploadBody(
  source: Readable,
  size: number,
  broken: AbortController,
): Promise<Readable | Uint8Array> {
  const pieces = exactly(source, size)
  if (size > 0) return Readable.from(guarded(pieces, broken))
  for await (const _ of pieces); // nobody reads a body of no bytes
  return new Uint8Array()
}

async function* exactly(
  source: AsyncIterable<Uint8Array | string>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  let held: Uint8Array | undefined
  for await (const piece of source) {
    if (piece.length === 0) continue
    if (held) yield held
    held = typeof piece === 'string' ? Buffer.from(piece) : piece
    seen += held.length
    if (seen > size) throw limitExceeded(`the stream has more than the ${size} bytes that were announced`)
  }
  if (seen < size) throw limitExceeded(`the stream ended after ${seen} bytes, and ${size} were announced`)
  if (held) yield held
}

/**
 * A source that breaks aborts the upload and then says no more: its error inside the SDK's own streams would find no
 * listener and end the process.
 */
async function* guarded(
  source: AsyncIterable<Uint8Array>,
  broken: AbortController,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (error) {
    broken.abort(error)
    await new Promise(() => {})
  }
}
