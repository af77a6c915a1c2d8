/**
 * Signature version 4 as S3 uses it: the canonical request is made from what arrived on the socket, so a change of
 * anything that was signed changes the signature.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Call } from './call.ts'
import { percentDecode, percentEncode } from './encoding.ts'

const algorithm = 'AWS4-HMAC-SHA256'

/** What a signature covers, as the client states it. */
export interface Claim {
  accessKeyId: string
  /** `date/region/service/aws4_request` */
  scope: string
  timestamp: string
  signedHeaders: string[]
  signature: string
  payloadHash: string
}

/** True when the claim's signature is the one that the secret gives for this call. */
export function verifySignature(call: Call, claim: Claim, secretAccessKey: string): boolean {
  const canonical = createHash('sha256').update(canonicalRequest(call, claim)).digest('hex')
  const toSign = [algorithm, claim.timestamp, claim.scope, canonical].join('\n')
  const key = claim.scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`)
  const expected = Buffer.from(hmac(key, toSign).toString('hex'))
  const actual = Buffer.from(claim.signature)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function canonicalRequest(call: Call, claim: Claim): string {
  const path = call.path.split('/').map((segment) => percentEncode(percentDecode(segment)))
  const headers = claim.signedHeaders.map((name) => `${name}:${canonicalHeader(call, name)}\n`)
  return [
    call.method,
    path.join('/'),
    canonicalQuery(call.search),
    headers.join(''),
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n')
}

function canonicalHeader(call: Call, name: string): string {
  const values = call.message.headersDistinct[name] ?? []
  return values.map((value) => value.trim().replace(/\s+/g, ' ')).join(',')
}

function canonicalQuery(search: string): string {
  const pairs = search
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      const value = equals < 0 ? '' : pair.slice(equals + 1)
      return [percentEncode(percentDecode(name)), percentEncode(percentDecode(value))] as const
    })
  const sorted = pairs.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1))
  return sorted.map(([name, value]) => `${name}=${value}`).join('&')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
