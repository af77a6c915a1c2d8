/**
 * Token → caller (contract 2). A token is a JWT that the host signed with an asymmetric key; its claims alone say for
 * whom a request acts. Whatever is wrong with it is one and the same refusal.
 */
import { type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import type { Caller } from './access.ts'
import { ResolverError } from './errors.ts'
import { identifierPattern } from './limits.ts'
import { createRecent } from './recent.ts'

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

const Identifier = z.string().check(z.regex(identifierPattern))
const Claims = z
  .object({ exp: z.number(), iat: z.number(), sub: Identifier, workspace: Identifier, server: Identifier })
  .check(z.refine(({ exp, iat }) => exp - iat <= maxLifetimeSec))

/** A verified token is believed for so long before it is verified again, so that a withdrawn key is soon of no use. */
const believeMs = 10_000

/** Builds the check of credentials. */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const { now = Date.now } = options
  const believed = createRecent<{ caller: Caller; untilMs: number }>(1_000)

  return async function authenticate(authorization) {
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new ResolverError('unauthenticated')
    const nowMs = now()
    const known = believed.get(token)
    const leftMs = known ? known.untilMs - nowMs : 0
    // a longer one was begun by a clock that has been set back since
    if (known && leftMs > 0 && leftMs <= believeMs) return known.caller
    const { caller, expiresAtMs } = await verify(token, options, nowMs)
    believed.set(token, { caller, untilMs: Math.min(expiresAtMs, nowMs + believeMs) })
    return caller
  }
}

async function verify(token: string, { keys, issuer, audience, algorithms }: AuthOptions, nowMs: number) {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: toleranceSec,
      currentDate: new Date(nowMs),
    })
    const { exp, iat, sub, workspace, server } = Claims.parse(payload)
    if (iat > nowMs / 1_000 + toleranceSec) throw new Error('issued in the future')
    const caller: Caller = { workspaceId: workspace, userId: sub, serverId: server }
    return { caller, expiresAtMs: (exp + toleranceSec) * 1_000 }
  } catch (error) {
    if (error instanceof ResolverError) throw error
    throw new ResolverError('unauthenticated', { cause: error })
  }
}
