/**
 * Objects stored with `Content-Encoding: gzip` are served decoded (contract 3), streaming and in bounded memory.
 */
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** The decoded bytes; throws an error whose code starts with `Z_` for what is no gzip. */
export function gunzip(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(bytes, createGunzip({ chunkSize: 65_536 }), () => {})
}

/** True for an error of the decoder itself, not of the bytes' source. */
export function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
