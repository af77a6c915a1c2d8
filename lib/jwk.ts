/**
 * Which public keys can verify tokens (contract 2). A key of no use is found when the key set is read, not when the
 * first token comes that names it.
 */
import { createPublicKey } from 'node:crypto'
import type { JWK } from 'jose'
import * as z from 'zod/mini'
import type { signatureAlgorithms } from './auth.ts'

type Algorithm = (typeof signatureAlgorithms)[number]

/** A JSON Web Key Set whose members are unchecked: one that is broken must not break the others (RFC 7517, 5). */
export const KeySet = z.object({ keys: z.array(z.unknown()) })

const PublicKey = z.looseObject({
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  y: z.exactOptional(z.string()),
  kid: z.exactOptional(z.string()),
  alg: z.exactOptional(z.string()),
  use: z.exactOptional(z.string()),
  key_ops: z.exactOptional(z.array(z.string())),
  ext: z.exactOptional(z.boolean()),
})

const algorithmsByCurve = new Map<string, readonly Algorithm[]>([
  ['OKP Ed25519', ['EdDSA', 'Ed25519']],
  ['EC P-256', ['ES256']],
])

/** The algorithms that a key can verify. */
export function algorithmsOf({ kty, crv, alg }: JWK): readonly Algorithm[] {
  const algorithms = algorithmsByCurve.get(`${kty} ${crv}`) ?? []
  return alg === undefined ? algorithms : algorithms.filter((name) => name === alg)
}

/** The member of a key set, or why it can verify no token, in words that go on after "key 1". */
export function checkKey(member: unknown): JWK | string {
  const parsed = PublicKey.safeParse(member)
  if (!parsed.success) return 'is no JSON Web Key of a public OKP or EC key'
  const key = parsed.data
  if ('d' in key) return 'is a private key; give public keys only'
  if (!algorithmsByCurve.has(`${key.kty} ${key.crv}`)) return 'is neither Ed25519 nor P-256'
  if (algorithmsOf(key).length === 0) return `has an alg that ${key.crv} is not used with`
  const { use = 'sig', key_ops = ['verify'] } = key
  if (use !== 'sig' || !key_ops.includes('verify')) return 'is not for verifying signatures'
  try {
    createPublicKey({ key, format: 'jwk' })
    return key
  } catch {
    return `is no valid ${key.crv} key`
  }
}

/** The places of two keys that the same tokens would match, so that neither could verify them. */
export function findClash(keys: readonly JWK[]): readonly [number, number] | undefined {
  for (const [i, a] of keys.entries()) {
    const j = keys.findIndex(
      (b, at) => at > i && a.kid === b.kid && algorithmsOf(a).some((name) => algorithmsOf(b).includes(name)),
    )
    if (j > 0) return [i, j]
  }
  return undefined
}
