/**
 * Token → caller with a clock of the test, to the second. What is refused at all is in the contract tests.
 */
import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { type Authenticate, createAuthenticate } from '../lib/auth.ts'
import { unavailable } from '../lib/errors.ts'
import { inlineKeys } from '../lib/jwks.ts'
import { createSigner, type Signer, signToken } from '../lib/token.ts'
import { forge, goodClaims } from './forge.ts'

const nowSec = 1_900_000_000
let signer: Signer
let authenticate: Authenticate
const options = {
  issuer: 'https://host.test',
  audience: 'file-resolver',
  algorithms: ['EdDSA'] as const,
  now: () => nowSec * 1_000,
}

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }
  signer = await createSigner(
    { ...(await exportJWK(privateKey)), kid: 'k' },
    options.issuer,
    options.audience,
  )
  authenticate = createAuthenticate({ ...options, keys: inlineKeys(jwks) })
})

const refusal = { code: 'unauthenticated' }
const withTimes = async (times: object) =>
  `Bearer ${await forge(signer, { ...goodClaims(nowSec), ...times })}`

test('the caller is workspace, sub and server', async () => {
  expect(await authenticate(await withTimes({}))).toEqual({
    workspaceId: 'acme',
    userId: 'ana',
    serverId: 'reports',
  })
})

test('a token that the project signs is accepted', async () => {
  const caller = { workspaceId: 'w', userId: 'auth0|5f', serverId: 's' }
  const token = await signToken(signer, caller, 900, nowSec * 1_000)
  expect(await authenticate(`Bearer ${token}`)).toEqual(caller)
  await expect(
    authenticate(`Bearer ${await signToken(signer, caller, 901, nowSec * 1_000)}`),
  ).rejects.toMatchObject(refusal)
})

test.each([
  [{ exp: nowSec - 29 }, { exp: nowSec - 30 }],
  [{ iat: nowSec + 30 }, { iat: nowSec + 31 }],
  [{ nbf: nowSec + 30 }, { nbf: nowSec + 31 }],
  [{ exp: nowSec + 900 }, { exp: nowSec + 901 }],
])('%j is accepted and %j is not', async (within, beyond) => {
  expect(await authenticate(await withTimes(within))).toMatchObject({ userId: 'ana' })
  await expect(authenticate(await withTimes(beyond))).rejects.toMatchObject(refusal)
})

test('a good token is believed behind “Bearer” and spaces, and with nothing around it', async () => {
  const bearer = await withTimes({})
  const token = bearer.slice('Bearer '.length)
  expect(await authenticate(`bearer   ${token}`)).toMatchObject({ userId: 'ana' })
  for (const header of [
    `X ${bearer}`,
    `${bearer} x`,
    `${bearer},${bearer}`,
    ` ${bearer}`,
    token,
    `Bearer\t${token}`,
  ]) {
    await expect(authenticate(header)).rejects.toMatchObject(refusal)
  }
})

test('an algorithm that the configuration leaves out is refused', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'e' }] }
  const es = await createSigner(
    { ...(await exportJWK(privateKey)), kid: 'e', alg: 'ES256' },
    options.issuer,
    options.audience,
  )
  const token = `Bearer ${await forge(es, goodClaims(nowSec))}`
  const both = { ...options, algorithms: ['EdDSA', 'ES256'] as const, keys: inlineKeys(jwks) }
  expect(await createAuthenticate(both)(token)).toMatchObject({ userId: 'ana' })
  await expect(createAuthenticate({ ...options, keys: inlineKeys(jwks) })(token)).rejects.toMatchObject(
    refusal,
  )
})

test('keys that cannot be had are an outage and no refusal', async () => {
  const keys = () => Promise.reject(unavailable('The key set cannot be read'))
  const failing = createAuthenticate({ ...options, keys })
  await expect(failing(await withTimes({}))).rejects.toMatchObject({ code: 'unavailable' })
})

test('what cannot be a token asks for no key', async () => {
  let asked = 0
  const counting = createAuthenticate({
    ...options,
    keys: () => {
      asked += 1
      throw new Error('asked')
    },
  })
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Basic x',
    'Bearer a.b',
    'Bearer a b',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
  ]) {
    await expect(counting(header)).rejects.toMatchObject(refusal)
  }
  expect(asked).toBe(0)
})

test('a verified token is believed for ten seconds, never past its end, and then verified again', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const own = await createSigner(
    { ...(await exportJWK(privateKey)), kid: 'k' },
    options.issuer,
    options.audience,
  )
  const local = inlineKeys({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] })
  let verified = 0
  let nowMs = nowSec * 1_000
  const check = createAuthenticate({
    ...options,
    now: () => nowMs,
    keys: (header, token) => {
      verified += 1
      return local(header, token)
    },
  })
  const bearer = `Bearer ${await forge(own, { ...goodClaims(nowSec), exp: nowSec + 15 })}`
  const verifications: number[] = []
  for (const atMs of [0, 9_999, 10_000, 19_999, 40_000, 44_999]) {
    nowMs = nowSec * 1_000 + atMs
    await check(bearer)
    verifications.push(verified)
  }
  expect(verifications).toEqual([1, 1, 2, 2, 3, 3])
  nowMs = nowSec * 1_000 + 45_000
  await expect(check(bearer)).rejects.toMatchObject(refusal)
})

test('a clock that is set back makes no belief last longer', async () => {
  let verified = 0
  let nowMs = nowSec * 1_000
  const check = createAuthenticate({
    ...options,
    now: () => nowMs,
    keys: () => {
      verified += 1
      if (verified > 1) throw new Error('withdrawn')
      return publicKey
    },
  })
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const own = await createSigner({ ...(await exportJWK(privateKey)) }, options.issuer, options.audience)
  const claims = { ...goodClaims(nowSec), iat: nowSec - 600, exp: nowSec + 300 }
  const bearer = `Bearer ${await forge(own, claims)}`
  await check(bearer)
  nowMs -= 1
  await expect(check(bearer)).rejects.toMatchObject(refusal)
})
