/**
 * Tokens that no honest host signs.
 */
import { type JWTPayload, SignJWT } from 'jose'
import type { Signer } from '../lib/token.ts'

/** Claims of a good token that is issued now and ends in five minutes. */
export function goodClaims(nowSec = Math.floor(Date.now() / 1_000)) {
  return {
    iss: 'https://host.test',
    aud: 'file-resolver',
    iat: nowSec,
    exp: nowSec + 300,
    sub: 'ana',
    workspace: 'acme',
    server: 'reports',
  }
}

/** A token with exactly these claims and header members, signed with the signer's key. */
export function forge(
  signer: Signer,
  claims: JWTPayload,
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: signer.algorithm, kid: signer.keyId ?? '', ...header })
    .sign(signer.key)
}

/** An unsigned token: header and claims encoded, and whatever stands for a signature. */
export function unsigned(header: object, claims: object, signature = ''): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode(header)}.${encode(claims)}.${signature}`
}
