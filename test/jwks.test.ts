/**
 * The host's keys by URL, against a real key server: cached, fetched rarely, and an outage is never a bad token.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAuthenticate } from '../lib/auth.ts'
import { inlineKeys, type RemoteKeyOptions, remoteKeys } from '../lib/jwks.ts'
import { createSigner, type Signer } from '../lib/token.ts'
import { forge, goodClaims } from './forge.ts'

let server: Server
let url: URL
let fetches = 0
let answer: { status: number; body: string } | 'break' | 'stall'
let nowMs = 1_900_000_000_000

beforeAll(async () => {
  server = createServer((req, res) => {
    fetches += 1
    if (answer === 'break') return req.socket.destroy()
    if (answer === 'stall') return undefined
    return res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  fetches = 0
})

async function newKey(kid: string): Promise<{ jwk: JWK; signer: Signer }> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }
  const signer = await createSigner(
    { ...(await exportJWK(privateKey)), kid, alg: 'EdDSA' },
    'https://host.test',
    'file-resolver',
  )
  return { jwk, signer }
}

const serving = (...keys: JWK[]) => ({ status: 200, body: JSON.stringify({ keys }) })

function authenticator(options: RemoteKeyOptions = {}) {
  return createAuthenticate({
    keys: remoteKeys(url, { now: () => nowMs, ...options }),
    issuer: 'https://host.test',
    audience: 'file-resolver',
    algorithms: ['EdDSA'],
    now: () => nowMs,
  })
}

async function bearer(signer: Signer, header: Record<string, unknown> = {}) {
  return `Bearer ${await forge(signer, goodClaims(Math.floor(nowMs / 1_000)), header)}`
}

const ana = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }

test('a hundred tokens at once cost one fetch, and those after them none', async () => {
  const { jwk, signer } = await newKey('a')
  answer = serving(jwk)
  const authenticate = authenticator()
  const token = await bearer(signer)
  const callers = await Promise.all(Array.from({ length: 100 }, () => authenticate(token)))
  expect(callers).toEqual(Array.from({ length: 100 }, () => ana))
  expect(await authenticate(token)).toEqual(ana)
  expect(fetches).toBe(1)
})

test.each([
  ['breaks the connection', 'break' as const],
  ['answers 500', { status: 500, body: '' }],
  ['answers 404', { status: 404, body: '{}' }],
  ['answers HTML', { status: 200, body: '<html>' }],
  ['answers no key set', { status: 200, body: '{"keys":5}' }],
  ['redirects', { status: 302, body: '' }],
  ['has accepted the question and no keys yet', { status: 202, body: '{"keys":[]}' }],
])('a key server that %s is an outage when nothing is known (H04)', async (_, failing) => {
  const { jwk, signer } = await newKey('a')
  answer = failing
  const authenticate = authenticator()
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
  answer = serving(jwk)
  nowMs += 2_000
  expect(await authenticate(await bearer(signer))).toEqual(ana)
})

test('a key server that does not answer in time is an outage', async () => {
  const { signer } = await newKey('a')
  answer = 'stall'
  const authenticate = authenticator({ timeoutMs: 50 })
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
})

test('a failing key server is asked once in two seconds', async () => {
  const { signer } = await newKey('a')
  answer = { status: 500, body: '' }
  const authenticate = authenticator()
  for (let i = 0; i < 20; i += 1) {
    await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
    nowMs += 99
  }
  expect(fetches).toBe(1)
  nowMs += 100
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
  expect(fetches).toBe(2)
})

test('known keys go on verifying while the key server is down, for a bounded time (H04)', async () => {
  const { jwk, signer } = await newKey('a')
  answer = serving(jwk)
  const authenticate = authenticator()
  expect(await authenticate(await bearer(signer))).toEqual(ana)
  answer = 'break'
  for (const passedMs of [600_001, 1_000_000, 1_999_000]) {
    nowMs += passedMs
    if (passedMs < 1_999_000) expect(await authenticate(await bearer(signer))).toEqual(ana)
  }
  nowMs += 1_000
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
  answer = serving(jwk)
  nowMs += 2_000
  expect(await authenticate(await bearer(signer))).toEqual(ana)
})

test('a clock that is set back keeps nobody from the key server', async () => {
  const { jwk, signer } = await newKey('a')
  answer = 'break'
  const authenticate = authenticator()
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
  answer = serving(jwk)
  nowMs -= 3_600_000
  expect(await authenticate(await bearer(signer))).toEqual(ana)
  expect(fetches).toBe(2)
  nowMs -= 3_600_000
  expect(await authenticate(await bearer(signer))).toEqual(ana)
  await expect.poll(() => fetches).toBe(3)
})

test('a rotated key works without a restart, and the old one until it is gone (H03)', async () => {
  const [old, fresh] = [await newKey('old'), await newKey('new')]
  answer = serving(old.jwk)
  const authenticate = authenticator({ cooldownMs: 0, retryMs: 0 })
  expect(await authenticate(await bearer(old.signer))).toEqual(ana)
  answer = serving(old.jwk, fresh.jwk)
  expect(await authenticate(await bearer(fresh.signer))).toEqual(ana)
  expect(await authenticate(await bearer(old.signer))).toEqual(ana)
  answer = serving(fresh.jwk)
  await expect(authenticate(await bearer(fresh.signer, { kid: 'x' }))).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  nowMs += 10_000
  await expect(authenticate(await bearer(old.signer))).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('two hundred tokens with random key ids cost at most two fetches, and good ones go on (H03)', async () => {
  const { jwk, signer } = await newKey('a')
  answer = serving(jwk)
  const authenticate = authenticator()
  const good = await bearer(signer)
  const bad = await Promise.all(Array.from({ length: 200 }, (_, i) => bearer(signer, { kid: `random-${i}` })))
  const outcomes = await Promise.allSettled(bad.flatMap((token) => [authenticate(token), authenticate(good)]))
  const refused = outcomes.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason.code === 'unauthenticated',
  )
  expect(refused).toHaveLength(200)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(200)
  expect(fetches).toBeLessThanOrEqual(2)
})

test('a stranger under a known key id costs no fetch', async () => {
  const [known, stranger] = [await newKey('a'), await newKey('a')]
  answer = serving(known.jwk)
  const authenticate = authenticator()
  await authenticate(await bearer(known.signer))
  await expect(authenticate(await bearer(stranger.signer))).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(fetches).toBe(1)
})

const brokenKeys: [string, unknown][] = [
  ['a key that is too short', { kty: 'OKP', crv: 'Ed25519', x: '11qY', kid: 'broken', alg: 'EdDSA' }],
  ['a key of the same id without its value', { kty: 'OKP', crv: 'Ed25519', kid: 'a', alg: 'EdDSA' }],
  ['a key that is too short and has no id', { kty: 'OKP', crv: 'Ed25519', x: '11qY' }],
  ['a private key', { kty: 'OKP', crv: 'Ed25519', x: '11qY', d: 'nWGx', kid: 'a' }],
  ['a key of another kind', { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'a' }],
  [
    'a key for agreement',
    { kty: 'OKP', crv: 'X25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'a' },
  ],
  ['null', null],
  ['a text', 'a'],
  ['a list', []],
]

test.each(brokenKeys)('%s in the key set breaks no token of another key', async (_, broken) => {
  const { jwk, signer } = await newKey('a')
  for (const keys of [
    [jwk, broken],
    [broken, jwk],
  ]) {
    answer = { status: 200, body: JSON.stringify({ keys }) }
    const authenticate = authenticator()
    expect(await authenticate(await bearer(signer))).toEqual(ana)
    expect(await authenticate(await bearer(signer, { kid: undefined }))).toEqual(ana)
  }
})

test.each(brokenKeys)('a key set of nothing but %s is an outage when nothing is known', async (_, broken) => {
  const { signer } = await newKey('a')
  answer = { status: 200, body: JSON.stringify({ keys: [broken] }) }
  await expect(authenticator()(await bearer(signer))).rejects.toMatchObject({ code: 'unavailable' })
})

test('a key that is broken verifies nothing until it is mended', async () => {
  const [{ jwk }, { jwk: mended, signer }] = [await newKey('a'), await newKey('b')]
  answer = { status: 200, body: JSON.stringify({ keys: [jwk, { ...mended, x: '11qY' }] }) }
  const authenticate = authenticator({ cooldownMs: 0, retryMs: 0 })
  await expect(authenticate(await bearer(signer))).rejects.toMatchObject({ code: 'unauthenticated' })
  answer = serving(jwk, mended)
  expect(await authenticate(await bearer(signer))).toEqual(ana)
})

test('an operator is told which keys are of no use, and why', async () => {
  const { jwk, signer } = await newKey('a')
  const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }
  answer = {
    status: 200,
    body: JSON.stringify({ keys: [rsa, jwk, { ...jwk, x: '11qY' }, { ...jwk, use: 'enc' }] }),
  }
  const told: string[] = []
  await authenticator({ onUselessKey: (problem) => told.push(problem) })(await bearer(signer))
  expect(told).toEqual([
    'key 1 is no JSON Web Key of a public OKP or EC key',
    'key 3 is no valid Ed25519 key',
    'key 4 is not for verifying signatures',
  ])
})

test('a set that lists a key twice, or two under one id, goes on with the first and tells of the second', async () => {
  const [one, other] = [await newKey('a'), await newKey('a')]
  for (const second of [one, other]) {
    const told: string[] = []
    answer = serving(one.jwk, second.jwk)
    const authenticate = authenticator({ onUselessKey: (problem) => told.push(problem) })
    expect(await authenticate(await bearer(one.signer))).toEqual(ana)
    expect(told).toEqual(['key 2 needs a kid of its own, to be told apart'])
  }
})

test('inline keys need no key server', async () => {
  const { jwk, signer } = await newKey('a')
  const authenticate = createAuthenticate({
    keys: inlineKeys({ keys: [jwk] }),
    issuer: 'https://host.test',
    audience: 'file-resolver',
    algorithms: ['EdDSA'],
    now: () => nowMs,
  })
  expect(await authenticate(await bearer(signer))).toEqual(ana)
  await expect(authenticate(await bearer(signer, { kid: 'b' }))).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  expect(fetches).toBe(0)
})
