/**
 * The host's public keys, inline or by URL (contract 2). By URL: cached, one fetch in flight, a cool-down for unknown
 * key ids and for a key server that fails. A key server that is down is an outage (503), never a bad token (401), and
 * the keys already known go on verifying for a bounded time.
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { unavailable } from './errors.ts'
import { checkKey, findClash, KeySet } from './jwk.ts'

/** Times of a remote key set in milliseconds, and the parts a test replaces. */
export interface RemoteKeyOptions {
  /** An unknown key id causes no further fetch for so long after a successful one. */
  readonly cooldownMs?: number
  /** No two fetches are closer together than this, so a failing key server is not hammered. */
  readonly retryMs?: number
  /** Keys older than this are fetched again in the background. */
  readonly refreshMs?: number
  /** Keys older than this are no longer believed. */
  readonly staleMs?: number
  readonly timeoutMs?: number
  /** Told of each key that is passed over when the set is fetched. */
  readonly onUselessKey?: (problem: string) => void
  readonly now?: () => number
}

/** Keys given as a JWKS. */
export function inlineKeys(jwks: JSONWebKeySet): JWTVerifyGetKey {
  return withOutages(createLocalJWKSet(jwks))
}

/** Keys read from a URL when they are first needed. */
export function remoteKeys(url: URL, options: RemoteKeyOptions = {}): JWTVerifyGetKey {
  const { cooldownMs = 30_000, retryMs = 2_000, refreshMs = 600_000, staleMs = 3_600_000 } = options
  const { timeoutMs = 3_000, onUselessKey, now = Date.now } = options
  let triedAt = Number.NEGATIVE_INFINITY
  let fetchedAt: number | undefined

  const spacedFetch: FetchImplementation = async (address, init) => {
    const waitedMs = now() - triedAt
    if (waitedMs >= 0 && waitedMs < retryMs) throw new Error('The key server was asked a moment ago')
    triedAt = now()
    const response = await fetch(address, init)
    if (response.status !== 200) return response // which jose refuses
    const { keys: members } = KeySet.parse(await response.json())
    return Response.json({ keys: usableKeys(members, onUselessKey) })
  }

  const remote = createRemoteJWKSet(url, {
    cooldownDuration: cooldownMs,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    timeoutDuration: timeoutMs,
    [customFetch]: spacedFetch,
  })

  async function reload(): Promise<void> {
    await remote.reload()
    fetchedAt = now()
  }

  return withOutages(async (header, token) => {
    if (fetchedAt === undefined) await reload()
    const age = now() - (fetchedAt ?? 0)
    if (age > staleMs) await reload()
    else if (age > refreshMs || age < 0) reload().catch(() => {}) // below zero: the clock was set back
    return remote(header, token)
  })
}

/** The keys that can verify tokens: one that is broken takes no other with it. Throws when there are keys, but no such. */
function usableKeys(members: readonly unknown[], onUselessKey?: (problem: string) => void): JWK[] {
  const keys: JWK[] = []
  for (const [i, member] of members.entries()) {
    const key = checkKey(member)
    if (typeof key === 'string') onUselessKey?.(`key ${i + 1} ${key}`)
    else if (keys.some((known) => findClash([known, key])))
      onUselessKey?.(`key ${i + 1} needs a kid of its own, to be told apart`)
    else keys.push(key)
  }
  if (keys.length === 0 && members.length > 0) throw new Error('No key of the set can verify a token')
  return keys
}

/** A key that does not exist makes a token invalid; a key set that cannot be read is an outage. */
function withOutages(findKey: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await findKey(header, token)
    } catch (error) {
      const blamesToken =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported
      throw blamesToken ? error : unavailable('The key set cannot be read', error)
    }
  }
}
