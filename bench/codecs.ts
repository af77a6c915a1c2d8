/**
 * How an answer could travel: as it does, or as raw bytes with the encoding done by the host, each plain or compressed.
 */
import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'

/** A compression: bytes in, fewer bytes out, and back. */
export interface Codec {
  readonly name: string
  pack(bytes: Buffer): Buffer
  unpack(bytes: Buffer): Buffer
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, ZSTD_c_compressionLevel, Z_HUFFMAN_ONLY } = constants

function brotli(quality: number): Codec {
  const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_LGWIN]: 18 }
  return {
    name: `brotli ${quality}`,
    pack: (b) => brotliCompressSync(b, { params }),
    unpack: brotliDecompressSync,
  }
}

function zstd(level: number): Codec {
  const params = { [ZSTD_c_compressionLevel]: level }
  return {
    name: `zstd ${level}`,
    pack: (b) => zstdCompressSync(b, { params }),
    unpack: (b) => zstdDecompressSync(b),
  }
}

function gzip(level: number): Codec {
  return { name: `gzip ${level}`, pack: (b) => gzipSync(b, { level }), unpack: (b) => gunzipSync(b) }
}

/** The compressions on trial; the first is none. */
export const codecs: readonly Codec[] = [
  { name: 'as it is', pack: (b) => b, unpack: (b) => b },
  {
    name: 'Huffman only',
    pack: (b) => gzipSync(b, { level: 1, strategy: Z_HUFFMAN_ONLY }),
    unpack: (b) => gunzipSync(b),
  },
  gzip(1),
  gzip(6),
  brotli(1),
  zstd(1),
]
