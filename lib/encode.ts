/**
 * Bytes in, the inside of a JSON string out: base64 or escaped text, chunk by chunk, in constant memory. Strings that
 * come out are latin1, one character a byte (Node writes those fastest); what is not latin1 comes out as UTF-8 bytes.
 */
import { escapeBytes } from './escape.ts'

/** A piece of a response body: a string stands for its latin1 bytes. */
export type Chunk = string | Uint8Array

/** Base64 of the bytes, cut at multiples of three so that no padding falls inside. */
export async function* encodeBase64(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  let carry = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : asBuffer(chunk)
    const whole = bytes.length - (bytes.length % 3)
    if (whole > 0) yield bytes.toString('base64', 0, whole)
    carry = Buffer.from(bytes.subarray(whole))
  }
  if (carry.length > 0) yield carry.toString('base64')
}

/** The inside of the JSON string of a text whose bytes are known to be valid in `charset`. */
export function encodeText(chunks: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<Chunk> {
  return charset === 'utf-8' ? escapeUtf8(chunks) : transcode(chunks, charset)
}

/** Valid UTF-8 need not be decoded: see `escapeBytes`. */
async function* escapeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) yield* escapeBytes(chunk)
}

async function* transcode(chunks: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder(charset, { fatal: true })
  for await (const chunk of chunks) yield escaped(decoder.decode(chunk, { stream: true }))
  yield escaped(decoder.decode())
}

function escaped(text: string): Chunk {
  return Buffer.from(JSON.stringify(text).slice(1, -1))
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
