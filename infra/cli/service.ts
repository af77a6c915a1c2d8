/**
 * Examines the service itself: its answers, the keys that it verifies tokens with, and the clocks.
 */
import * as z from 'zod'
import { checkKey } from '../../lib/jwk.ts'
import { listMethod } from '../../lib/rpc.ts'
import { type Finding, ill, well } from './finding.ts'

/** Tokens are refused when clocks differ by more than this (contract 2). */
const maxSkewSec = 30
const timeoutMs = 5_000

const Ready = z.union([
  z.object({ status: z.literal('ok'), failing: z.array(z.never()).default([]) }),
  z.object({ status: z.literal('unavailable'), failing: z.array(z.string()) }),
])
const Answer = z.object({ jsonrpc: z.literal('2.0') })
const Key = z.looseObject({ kty: z.string(), d: z.unknown().optional(), k: z.unknown().optional() })
const Keys = z.object({ keys: z.array(Key).min(1) })

/** Whether the resolver runs, reaches its storage, has the same time, and takes a token. */
export async function examineResolver(url: string, token: () => Promise<string>): Promise<Finding[]> {
  const check = `resolver ${url}`
  try {
    const health = await get(`${url}/healthz`)
    const ready = Ready.safeParse(await jsonOf(await get(`${url}/readyz`)))
    if (!ready.success)
      return [
        ill(check, 'what answers is no resolver', 'Correct FILE_RESOLVER_URL, or look at what is before it.'),
      ]
    const { failing } = ready.data
    const storage =
      failing.length === 0
        ? well(check, 'it runs, and its storage answers')
        : ill(
            check,
            `${failing.join(' and ')} does not answer`,
            'Look at the rights of its role, and at its log.',
          )
    return [storage, clock(health.headers.get('date'), Date.now()), await credential(url, token)]
  } catch (error) {
    return [ill(check, `it does not answer (${reason(error)})`, 'Start it, or correct FILE_RESOLVER_URL.')]
  }
}

/** Whether the clock of what answered agrees with this machine's. */
export function clock(date: string | null, nowMs: number): Finding {
  const check = 'clock'
  if (date === null) return well(check, 'the resolver tells no time')
  const skewSec = Math.round(Math.abs(nowMs - Date.parse(date)) / 1_000)
  if (skewSec < maxSkewSec) return well(check, `agrees with the resolver’s, to ${Math.max(1, skewSec)} s`)
  return ill(
    check,
    `differs by ${skewSec} s from the resolver’s`,
    'Set this machine’s clock: tokens allow for 30 s only.',
  )
}

async function credential(url: string, token: () => Promise<string>): Promise<Finding> {
  const check = 'token'
  const remedy =
    'Compare issuer, audience and key id of the token with TOKEN_ISSUER, TOKEN_AUDIENCE and the key set.'
  try {
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: listMethod,
        params: { _meta: { filter: { tags: [''] } } },
      }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 401) return ill(check, 'the resolver refuses it', remedy)
    if (response.ok && Answer.safeParse(await jsonOf(response)).success)
      return well(check, 'the resolver takes it')
    return ill(check, `the resolver answers ${response.status}`, 'Look at its log.')
  } catch (error) {
    return ill(check, reason(error), 'Run "npm run dev", or set FILE_RESOLVER_TOKEN.')
  }
}

/** Whether the host's key set, inline or by URL, holds public keys and no private one. */
export async function examineKeys(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { HOST_JWKS: inline, HOST_JWKS_URL: url } = environment
  const check = 'keys'
  if (!inline && !url) return []
  try {
    const text = inline ?? (await (await get(url ?? '')).text())
    const { keys } = Keys.parse(JSON.parse(text))
    if (keys.some(({ d, k }) => d !== undefined || k !== undefined)) {
      return [
        ill(
          check,
          'the set holds a private key',
          'Take it out at once, and make a new one: it is known now.',
        ),
      ]
    }
    for (const [i, member] of keys.entries()) {
      const key = checkKey(member)
      if (typeof key === 'string')
        return [ill(check, `key ${i + 1} ${key}`, 'Mend it, or take it out of the set.')]
    }
    return [well(check, `${keys.length} public, ${keys.map(({ kty }) => kty).join(', ')}`)]
  } catch (error) {
    return [ill(check, `no key set (${reason(error)})`, 'Correct HOST_JWKS or HOST_JWKS_URL.')]
  }
}

/** The body, undefined when it is no JSON. */
function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined)
}

async function get(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
}

function reason(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'it is no JSON Web Key Set'
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}
