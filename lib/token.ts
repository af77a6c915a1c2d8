/**
 * Tokens as a host signs them (contract 2).
 */
import { type CryptoKey, importJWK, type JWK, SignJWT } from 'jose'
import type { Caller } from './access.ts'

/** What signs tokens: the private key, its id and algorithm, and the configured issuer and audience. */
export interface Signer {
  readonly key: CryptoKey | Uint8Array
  readonly keyId: string | undefined
  readonly algorithm: string
  readonly issuer: string
  readonly audience: string
}

/** A signer from a private JWK (Ed25519 unless it says otherwise). */
export async function createSigner(jwk: JWK, issuer: string, audience: string): Promise<Signer> {
  const algorithm = jwk.alg ?? 'EdDSA'
  return { key: await importJWK(jwk, algorithm), keyId: jwk.kid, algorithm, issuer, audience }
}

/** A token for the caller, valid for `ttlSec` seconds (the service accepts at most 900). */
export function signToken(
  signer: Signer,
  caller: Caller,
  ttlSec: number,
  nowMs = Date.now(),
): Promise<string> {
  const iat = Math.floor(nowMs / 1_000)
  return new SignJWT({ workspace: caller.workspaceId, server: caller.serverId })
    .setProtectedHeader({
      alg: signer.algorithm,
      ...(signer.keyId === undefined ? {} : { kid: signer.keyId }),
    })
    .setIssuer(signer.issuer)
    .setAudience(signer.audience)
    .setSubject(caller.userId)
    .setIssuedAt(iat)
    .setExpirationTime(iat + ttlSec)
    .sign(signer.key)
}
