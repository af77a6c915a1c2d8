/**
 * Which checksums a request carries and how they are computed. An algorithm that is not known here is refused: a checksum
 * that nobody verified must not look verified.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { HeaderMap } from './call.ts'
import { crc32c, crc64nvme, type Running } from './crc.ts'
import { invalidArgument, notImplemented, S3Error } from './errors.ts'

/** The algorithms that are verified, by their wire name in lower case. */
export const algorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256', 'sha512', 'md5'] as const
/** One of the verified algorithms. */
export type Algorithm = (typeof algorithms)[number]

const prefix = 'x-amz-checksum-'
const notChecksums = new Set([`${prefix}mode`, `${prefix}type`, `${prefix}algorithm`])

/** The algorithm of that name, in any case, or 501. */
export function parseAlgorithm(name: string): Algorithm {
  const known = algorithms.find((algorithm) => algorithm === name.toLowerCase())
  if (known === undefined) throw notImplemented(`the checksum algorithm ${name}`)
  return known
}

/** A running checksum of that algorithm. */
export function startChecksum(algorithm: Algorithm): Running {
  if (algorithm === 'crc32c') return crc32c()
  if (algorithm === 'crc64nvme') return crc64nvme()
  if (algorithm !== 'crc32') return createHash(algorithm)
  let crc = 0
  return {
    update(bytes) {
      crc = crc32(bytes, crc)
    },
    digest() {
      const out = Buffer.alloc(4)
      out.writeUInt32BE(crc)
      return out
    },
  }
}

/** The one algorithm whose checksum these headers carry or announce as a trailer, if any. */
export function announcedAlgorithm(headers: HeaderMap): Algorithm | undefined {
  const sent = Object.keys(headers).filter((name) => name.startsWith(prefix) && !notChecksums.has(name))
  const trailing = (headers['x-amz-trailer'] ?? '').split(',').map((name) => name.trim().toLowerCase())
  const names = new Set([...sent, ...trailing.filter((name) => name.startsWith(prefix))])
  const [name] = names
  if (names.size > 1) {
    throw new S3Error(400, 'InvalidRequest', 'Expecting a single x-amz-checksum- header.')
  }
  if (name !== undefined) return parseAlgorithm(name.slice(prefix.length))
  if (headers['x-amz-sdk-checksum-algorithm'] !== undefined) {
    throw new S3Error(
      400,
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  return undefined
}

/** The checksum header's name for an algorithm. */
export function checksumHeader(algorithm: Algorithm): string {
  return prefix + algorithm
}

/** The checksum element's name in XML for an algorithm. */
export function checksumElement(algorithm: Algorithm): string {
  return `Checksum${algorithm.toUpperCase()}`
}

/** Throws 400 when the `Content-MD5` header is not the body's digest. */
export function verifyMd5(header: string | undefined, digest: Buffer): void {
  if (header === undefined) return
  if (Buffer.from(header, 'base64').length !== 16) {
    throw new S3Error(400, 'InvalidDigest', 'The Content-MD5 you specified is not valid.')
  }
  if (header !== digest.toString('base64')) {
    throw new S3Error(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.')
  }
}

/** Throws 400 when the stated checksum is absent or is not the computed one. */
export function verifyChecksum(algorithm: Algorithm, stated: string | undefined, computed: string): void {
  if (stated === undefined) throw invalidArgument(`The ${checksumHeader(algorithm)} trailer is missing.`)
  if (stated === computed) return
  const name = algorithm.toUpperCase()
  throw new S3Error(400, 'BadDigest', `The ${name} you specified did not match the calculated checksum.`)
}
