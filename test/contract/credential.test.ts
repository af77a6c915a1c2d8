/**
 * Contract 2: which credential is good, and that everything else is one and the same refusal.
 */
import { createHmac } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSigner, type Signer } from '../../lib/token.ts'
import { forge, goodClaims, unsigned } from '../forge.ts'
import { type Service, startService } from '../harness.ts'

const frame = '{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list"}'

let service: Service
let stranger: Signer
beforeAll(async () => {
  service = await startService()
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  stranger = await createSigner(
    { ...(await exportJWK(privateKey)), kid: 'test-key', alg: 'EdDSA' },
    'https://host.test',
    'file-resolver',
  )
})
afterAll(() => service.close())

async function send(authorization?: string) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (authorization !== undefined) headers.authorization = authorization
  const response = await fetch(`${service.url}/rpc`, { method: 'POST', body: frame, headers })
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

const refusal = {
  status: 401,
  challenge: 'Bearer error="invalid_token"',
  type: 'application/json',
  text: '{"error":"invalid_token"}',
}

const now = () => Math.floor(Date.now() / 1_000)

test('a good token is accepted, whatever the case of the scheme', async () => {
  const token = await forge(service.signer, goodClaims())
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect(await send(`${scheme} ${token}`)).toMatchObject({ status: 200, challenge: null })
  }
})

test('no credential is 401 with a challenge that names no error', async () => {
  expect(await send()).toEqual({ ...refusal, challenge: 'Bearer' })
})

test.each([
  ['empty', ''],
  ['a scheme alone', 'Bearer'],
  ['a scheme and blanks', 'Bearer   '],
  ['another scheme', 'Basic YW5hOmFuYQ=='],
  ['no JWT', 'Bearer abc'],
  ['two dots', 'Bearer ..'],
  ['a fourth part', 'Bearer a.b.c.d'],
  ['two credentials', 'Bearer a.b.c, Bearer a.b.c'],
  ['characters that no token has', 'Bearer a.b.c{}'],
  ['quotes', 'Bearer "a.b.c"'],
  ['five encrypted parts', 'Bearer a.b.c.d.e'],
  ['eight thousand characters', `Bearer ${'a'.repeat(8_000)}`],
])('a malformed credential, %s, is 401', async (_, authorization) => {
  expect(await send(authorization)).toEqual(refusal)
})

test.each([['iss'], ['aud'], ['exp'], ['iat'], ['sub'], ['workspace'], ['server']] as const)(
  'a token without %s, or with it empty or of another type, is 401',
  async (name) => {
    const { [name]: _, ...rest } = goodClaims()
    expect(await send(`Bearer ${await forge(service.signer, rest)}`)).toEqual(refusal)
    for (const value of ['', ' ', null, true, [], {}, ['x'], { x: 1 }]) {
      const claims = { ...goodClaims(), [name]: value }
      expect(await send(`Bearer ${await forge(service.signer, claims as never)}`)).toEqual(refusal)
    }
  },
)

test.each(['sub', 'workspace', 'server'])(
  '%s is 1 to 128 visible ASCII characters, else 401',
  async (name) => {
    for (const value of ['a', '~', '!', 'auth0|5f#/%..', 'x'.repeat(128)]) {
      const token = await forge(service.signer, { ...goodClaims(), [name]: value })
      expect(await send(`Bearer ${token}`)).toMatchObject({ status: 200 })
    }
    for (const value of ['x'.repeat(129), 'a b', 'a\n', '\u007f', 'ä', '\u0000', 'a\u200b', 7, 0]) {
      const token = await forge(service.signer, { ...goodClaims(), [name]: value })
      expect(await send(`Bearer ${token}`)).toEqual(refusal)
    }
  },
)

test.each([
  ['exp long ago', () => ({ iat: now() - 600, exp: now() - 300 })],
  ['exp 40 s ago', () => ({ iat: now() - 300, exp: now() - 40 })],
  ['exp as text', () => ({ exp: String(now() + 300) })],
  ['exp beyond all times', () => ({ exp: 1e20 })],
  ['exp 15 minutes and a second after iat', () => ({ iat: now(), exp: now() + 901 })],
  ['exp an hour after iat, issued long ago', () => ({ iat: now() - 3_500, exp: now() + 100 })],
  ['iat as text', () => ({ iat: String(now()) })],
  ['iat 40 s in the future', () => ({ iat: now() + 40, exp: now() + 300 })],
  ['iat a day in the future', () => ({ iat: now() + 86_400, exp: now() + 86_700 })],
  ['nbf 40 s ahead', () => ({ nbf: now() + 40 })],
  ['nbf ten minutes ahead', () => ({ nbf: now() + 600 })],
  ['nbf as text', () => ({ nbf: 'soon' })],
])('a token with %s is 401 (H05)', async (_, times) => {
  const token = await forge(service.signer, { ...goodClaims(), ...times() } as never)
  expect(await send(`Bearer ${token}`)).toEqual(refusal)
})

test.each([
  ['exp 20 s ago', () => ({ iat: now() - 300, exp: now() - 20 })],
  ['nbf 20 s ahead', () => ({ nbf: now() + 20 })],
  ['nbf in the past', () => ({ nbf: now() - 20 })],
  ['iat 20 s in the future', () => ({ iat: now() + 20, exp: now() + 300 })],
  ['exp 15 minutes after iat', () => ({ iat: now(), exp: now() + 900 })],
])('a token with %s is within the tolerance of 30 s (H05)', async (_, times) => {
  const token = await forge(service.signer, { ...goodClaims(), ...times() })
  expect(await send(`Bearer ${token}`)).toMatchObject({ status: 200 })
})

test.each([
  ['another issuer', { iss: 'https://host.test/' }],
  ['an issuer in another case', { iss: 'https://HOST.test' }],
  ['another audience', { aud: 'file-resolver2' }],
  ['a list without the audience', { aud: ['x', 'y'] }],
])('a token with %s is 401', async (_, claims) => {
  expect(await send(`Bearer ${await forge(service.signer, { ...goodClaims(), ...claims })}`)).toEqual(refusal)
})

test('a token for several audiences, this service among them, is good', async () => {
  const token = await forge(service.signer, { ...goodClaims(), aud: ['other', 'file-resolver'] })
  expect(await send(`Bearer ${token}`)).toMatchObject({ status: 200 })
})

test.each(['none', 'None', 'NONE', 'nOnE', ''])('the algorithm "%s" is 401', async (alg) => {
  expect(await send(`Bearer ${unsigned({ alg, kid: 'test-key' }, goodClaims())}`)).toEqual(refusal)
  expect(await send(`Bearer ${unsigned({ alg }, goodClaims(), 'AAAA')}`)).toEqual(refusal)
})

test.each(['HS256', 'HS384', 'HS512'])('%s keyed with the public key is 401', async (alg) => {
  const jwks = JSON.parse(service.environment.HOST_JWKS ?? '')
  const head = unsigned({ alg, kid: 'test-key' }, goodClaims()).slice(0, -1)
  for (const secret of [
    jwks.keys[0].x,
    JSON.stringify(jwks.keys[0]),
    Buffer.from(jwks.keys[0].x, 'base64url'),
  ]) {
    const signature = createHmac(alg.replace('HS', 'sha'), secret).update(head).digest('base64url')
    expect(await send(`Bearer ${head}.${signature}`)).toEqual(refusal)
  }
})

test.each(['RS256', 'PS256', 'ES384', 'ES512', 'ES256K', 'X'])(
  'an algorithm outside the list, %s, is 401',
  async (alg) => {
    expect(await send(`Bearer ${unsigned({ alg, kid: 'test-key' }, goodClaims(), 'AAAA')}`)).toEqual(refusal)
  },
)

test('a token signed by a stranger under a known key id is 401', async () => {
  expect(await send(`Bearer ${await forge(stranger, goodClaims())}`)).toEqual(refusal)
})

test('a token with an unknown key id is 401', async () => {
  const token = await forge(service.signer, goodClaims(), { kid: 'other' })
  expect(await send(`Bearer ${token}`)).toEqual(refusal)
})

test('a token that brings its own key is 401', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const own = await createSigner(await exportJWK(privateKey), 'https://host.test', 'file-resolver')
  for (const header of [{ jwk }, { jwk, kid: 'test-key' }, { jku: 'http://127.0.0.1:1/jwks', kid: 'x' }]) {
    expect(await send(`Bearer ${await forge(own, goodClaims(), header)}`)).toEqual(refusal)
  }
})

test('a token with a critical extension that nobody knows is 401', async () => {
  const [, claims, signature] = (await forge(service.signer, goodClaims())).split('.')
  const header = Buffer.from('{"alg":"EdDSA","kid":"test-key","crit":["b65"],"b65":1}').toString('base64url')
  expect(await send(`Bearer ${header}.${claims}.${signature}`)).toEqual(refusal)
})

test('a token whose claims or signature were touched is 401', async () => {
  const [header, claims = '', signature = ''] = (await forge(service.signer, goodClaims())).split('.')
  const other = Buffer.from(JSON.stringify({ ...goodClaims(), workspace: 'other' })).toString('base64url')
  const flipped = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`
  const tokens = [
    `${header}.${other}.${signature}`,
    `${header}.${claims}.${flipped}`,
    `${header}.${claims}.${signature.slice(0, 40)}`,
    `${header}.${claims}.`,
    `${header}..${signature}`,
    `${header}.${claims}.${signature}AA`,
  ]
  for (const token of tokens) expect(await send(`Bearer ${token}`)).toEqual(refusal)
})

test('the credential is looked at before content type and envelope', async () => {
  for (const body of ['not json', '[]', '{"jsonrpc":"2.0","method":"x"}']) {
    const response = await fetch(`${service.url}/rpc`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.status).toBe(401)
  }
})

test('a token in the body, the query or a cookie is none', async () => {
  const token = await forge(service.signer, goodClaims())
  const response = await fetch(`${service.url}/rpc?access_token=${token}`, {
    method: 'POST',
    body: frame,
    headers: {
      'content-type': 'application/json',
      cookie: `access_token=${token}`,
      'x-authorization': token,
    },
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})

test('a token signed with ES256 is good', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'es', alg: 'ES256' }] }
  const other = await startService({ HOST_JWKS: JSON.stringify(jwks) })
  const signer = await createSigner(
    { ...(await exportJWK(privateKey)), kid: 'es', alg: 'ES256' },
    'https://host.test',
    'file-resolver',
  )
  const answer = await other.call(
    frame,
    {},
    {
      headers: { authorization: `Bearer ${await forge(signer, goodClaims())}` },
    },
  )
  expect(answer.status).toBe(200)
  await other.close()
})
