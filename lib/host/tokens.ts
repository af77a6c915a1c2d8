/**
 * Short-lived tokens, signed once for each caller and used until they are about to end.
 */
import type { Caller } from '../access.ts'
import { identifierPattern } from '../limits.ts'
import { type Signer, signToken } from '../token.ts'
import { transportFailure } from './errors.ts'

/** Gives the bearer token for a caller; `forget` drops one that the service refused. */
export interface Tokens {
  of(caller: Caller): Promise<string>
  forget(caller: Caller): void
}

/** How tokens are made; `now` is epoch milliseconds. */
export interface TokenOptions {
  readonly signer: Signer | Promise<Signer>
  /** Life of a token in seconds; the service accepts at most 900. */
  readonly ttlSec: number
  readonly now: () => number
}

const maxTokens = 5_000

/** Tokens from a signer, renewed when a fifth of their life is left. */
export function createTokens({ signer, ttlSec, now }: TokenOptions): Tokens {
  const cache = new Map<string, { token: Promise<string>; renewAtMs: number }>()
  Promise.resolve(signer).catch(() => {}) // it is awaited, and reported, by each call

  async function of(caller: Caller): Promise<string> {
    const key = keyOf(caller)
    const nowMs = now()
    const known = cache.get(key)
    if (known && nowMs < known.renewAtMs) return known.token
    const token = sign(caller, nowMs)
    cache.delete(key)
    cache.set(key, { token, renewAtMs: nowMs + ttlSec * 800 })
    token.catch(() => cache.delete(key))
    for (const oldest of cache.keys()) {
      if (cache.size <= maxTokens) break
      cache.delete(oldest)
    }
    return token
  }

  async function sign(caller: Caller, nowMs: number): Promise<string> {
    try {
      return await signToken(await signer, caller, ttlSec, nowMs)
    } catch (error) {
      throw transportFailure('the token could not be signed', error)
    }
  }

  return { of, forget: (caller) => void cache.delete(keyOf(caller)) }
}

/** Checks the three identifiers, which come from the host alone; the service would refuse others anyway. */
export function checkCaller(caller: Caller): void {
  for (const name of ['workspaceId', 'userId', 'serverId'] as const) {
    if (typeof caller[name] === 'string' && identifierPattern.test(caller[name])) continue
    throw transportFailure(`caller.${name} must be 1 to 128 visible ASCII characters`)
  }
}

/** No identifier contains a space. */
function keyOf({ workspaceId, userId, serverId }: Caller): string {
  return `${workspaceId} ${userId} ${serverId}`
}
