/**
 * Takes a request's body in: framing undone, every digest that the client stated verified, each chunk handed on with
 * back-pressure. The message is never destroyed on a refusal, so that the client gets to read why.
 */
import { createHash } from 'node:crypto'
import type { Call, HeaderMap } from './call.ts'
import {
  type Algorithm,
  announcedAlgorithm,
  checksumHeader,
  startChecksum,
  verifyChecksum,
  verifyMd5,
} from './checksum.ts'
import { decodeChunks } from './chunked.ts'
import { notImplemented, S3Error } from './errors.ts'

const unsignedTrailer = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
const maxTextBytes = 2 * 1024 * 1024

/** What is known of a body once it has been taken in; the checksum is base64. */
export interface Received {
  size: number
  md5: Buffer
  checksum: { algorithm: Algorithm; value: string } | undefined
}

/** Hands every chunk to `write`, and returns once all that the client stated about the body has been verified. */
export async function receive(call: Call, write: (chunk: Buffer) => Promise<void> | void): Promise<Received> {
  const { headers, message } = call
  const chunked = isChunked(headers)
  requireLength(headers, chunked)
  const stated: HeaderMap = { ...headers }
  // The message outlives a throw in the loop, so that the rest of a refused body can be drained.
  const raw: AsyncIterable<Buffer> = message.iterator({ destroyOnReturn: false })
  const received = await absorb(
    chunked ? decodeChunks(raw, stated) : raw,
    announcedAlgorithm(headers),
    write,
    headers,
  )
  const length = headers['x-amz-decoded-content-length']
  if (chunked && Number(length) !== received.size) {
    throw new S3Error(
      400,
      'IncompleteBody',
      'You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header',
    )
  }
  verifyMd5(headers['content-md5'], received.md5)
  const checksum = received.checksum
  if (checksum) verifyChecksum(checksum.algorithm, stated[checksumHeader(checksum.algorithm)], checksum.value)
  return received
}

/** Hashes a stream on its way to `write`; `headers` may state its SHA-256. */
export async function absorb(
  source: AsyncIterable<Buffer>,
  algorithm: Algorithm | undefined,
  write: (chunk: Buffer) => Promise<void> | void,
  headers: HeaderMap = {},
): Promise<Received> {
  const md5 = createHash('md5')
  const running = algorithm && startChecksum(algorithm)
  const payloadHash = headers['x-amz-content-sha256'] ?? ''
  const sha256 = /^[0-9a-f]{64}$/.test(payloadHash) ? createHash('sha256') : undefined
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    md5.update(chunk)
    running?.update(chunk)
    sha256?.update(chunk)
    await write(chunk)
  }
  if (sha256 && sha256.digest('hex') !== payloadHash) {
    throw new S3Error(
      400,
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    )
  }
  const checksum = algorithm && running && { algorithm, value: running.digest().toString('base64') }
  return { size, md5: md5.digest(), checksum }
}

/** The verified body as text, for the XML documents that some operations take. */
export async function receiveText(call: Call): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  await receive(call, (chunk) => {
    bytes += chunk.length
    if (bytes > maxTextBytes) throw new S3Error(400, 'MaxMessageLengthExceeded', 'Your request was too big.')
    chunks.push(chunk)
  })
  return Buffer.concat(chunks).toString('utf8')
}

function isChunked(headers: HeaderMap): boolean {
  const payload = headers['x-amz-content-sha256'] ?? ''
  if (payload.startsWith('STREAMING-') && payload !== unsignedTrailer) throw notImplemented(payload)
  return payload === unsignedTrailer || /\baws-chunked\b/.test(headers['content-encoding'] ?? '')
}

function requireLength(headers: HeaderMap, chunked: boolean): void {
  const length = headers[chunked ? 'x-amz-decoded-content-length' : 'content-length']
  if (length !== undefined || headers['transfer-encoding'] === undefined) return
  throw new S3Error(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
}
