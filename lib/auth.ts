/**
 * Token → caller (contract 2). A token is a JWT that the host signed with an asymmetric key; its claims alone say for
 * whom a request acts. Whatever is wrong with it is one and the same refusal.
 */
import { type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as z from 'zod'
import type { Caller } from './access.ts'
import { ResolverError } from './errors.ts'
import { identifierPattern } from './limits.ts'

/** Signature algorithms that may be allowed: asymmetric ones only, so never `none` and no HMAC. */
export const signatureAlgorithms = ['EdDSA', 'Ed25519', 'ES256'] as const

/** What a token must say and how it must be signed; `now` is epoch milliseconds. */
export interface AuthOptions {
  readonly keys: JWTVerifyGetKey
  readonly issuer: string
  readonly audience: string
  readonly algorithms: readonly (typeof signatureAlgorithms)[number][]
  readonly now?: () => number
}

/** The caller of an `Authorization` header. Throws `unauthenticated`, or `unavailable` if no key can be had. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>

const maxLifetimeSec = 15 * 60
const toleranceSec = 30

const Identifier = z.string().regex(identifierPattern)
const Claims = z
  .object({ exp: z.number(), iat: z.number(), sub: Identifier, workspace: Identifier, server: Identifier })
  .refine(({ exp, iat }) => exp - iat <= maxLifetimeSec)

/** Builds the check of credentials. */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const { keys, issuer, audience, now = Date.now } = options
  const algorithms = [...options.algorithms]

  return async function authenticate(authorization) {
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new ResolverError('unauthenticated')
    const nowMs = now()
    const checks = {
      issuer,
      audience,
      algorithms,
      clockTolerance: toleranceSec,
      currentDate: new Date(nowMs),
    }
    try {
      const { payload } = await jwtVerify(token, keys, checks)
      const { iat, sub, workspace, server } = Claims.parse(payload)
      if (iat > nowMs / 1_000 + toleranceSec) throw new Error('issued in the future')
      return { workspaceId: workspace, userId: sub, serverId: server }
    } catch (error) {
      if (error instanceof ResolverError) throw error
      throw new ResolverError('unauthenticated', { cause: error })
    }
  }
}
