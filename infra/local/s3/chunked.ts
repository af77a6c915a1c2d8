/**
 * Undoes `Content-Encoding: aws-chunked`, the SDK's own framing of a body inside the HTTP body: sized chunks, a chunk of
 * size zero, then trailers that carry the checksum.
 */
import type { HeaderMap } from './call.ts'
import { S3Error } from './errors.ts'

const maxLineBytes = 16_384

/** The decoded bytes in order; the trailers are in `trailers` once the source has ended. */
export async function* decodeChunks(
  source: AsyncIterable<Buffer>,
  trailers: HeaderMap,
): AsyncGenerator<Buffer, void> {
  let buffer: Buffer = Buffer.alloc(0)
  let expecting: 'size' | 'data' | 'data-end' | 'trailer' | 'nothing' = 'size'
  let left = 0
  for await (const chunk of source) {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
    while (buffer.length > 0) {
      if (expecting === 'data') {
        const data = buffer.subarray(0, left)
        buffer = buffer.subarray(data.length)
        left -= data.length
        if (left === 0) expecting = 'data-end'
        yield data
        continue
      }
      const end = buffer.indexOf('\r\n')
      if (end < 0 && buffer.length > maxLineBytes) throw malformed()
      if (end < 0) break
      const line = buffer.toString('latin1', 0, end)
      buffer = buffer.subarray(end + 2)
      if (expecting === 'size') {
        left = parseSize(line)
        expecting = left > 0 ? 'data' : 'trailer'
      } else if (expecting === 'data-end') {
        if (line !== '') throw malformed()
        expecting = 'size'
      } else if (expecting === 'trailer' && line !== '') {
        addTrailer(line, trailers)
      } else {
        expecting = 'nothing'
      }
    }
  }
  // The blank line after the trailers is not insisted on, as S3 does not either; a cut-off body is.
  if (expecting === 'size' || expecting === 'data' || expecting === 'data-end') throw malformed()
}

function parseSize(line: string): number {
  const size = line.split(';', 1)[0]?.trim() ?? ''
  if (!/^[0-9a-f]{1,12}$/i.test(size)) throw malformed()
  return Number.parseInt(size, 16)
}

function addTrailer(line: string, trailers: HeaderMap): void {
  const colon = line.indexOf(':')
  if (colon < 1) throw malformed()
  trailers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
}

function malformed(): S3Error {
  return new S3Error(400, 'IncompleteBody', 'The request body terminated unexpectedly')
}
