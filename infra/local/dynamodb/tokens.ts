// Idempotency of transactions: the same token with the same request within ten minutes is answered without being
// carried out again, with another request it is refused. The tokens are forgotten with the process.

import { createHash } from 'node:crypto'
import { refuse } from './errors.ts'

const keptMs = 600_000

/** The tokens of the transactions that succeeded of late. */
export interface Tokens {
  /** Whether this very request has succeeded already. */
  isDone(token: string, request: string): boolean
  done(token: string, request: string): void
}

/** Creates an empty memory of tokens. */
export function createTokens(now: () => number): Tokens {
  const kept = new Map<string, { hash: string; atMs: number }>()

  function isOld(atMs: number): boolean {
    return now() - atMs >= keptMs
  }

  return {
    isDone(token, request) {
      const known = kept.get(token)
      if (!known || isOld(known.atMs)) return false
      if (known.hash === hashOf(request)) return true
      refuse(
        'IdempotentParameterMismatchException',
        'Request parameters do not match the parameters of the earlier request with this client token',
      )
    },
    done(token, request) {
      // Oldest first, as a Map keeps the order of insertion.
      for (const [old, { atMs }] of kept) {
        if (!isOld(atMs)) break
        kept.delete(old)
      }
      kept.delete(token)
      kept.set(token, { hash: hashOf(request), atMs: now() })
    },
  }
}

function hashOf(request: string): string {
  return createHash('sha256').update(request).digest('base64')
}
