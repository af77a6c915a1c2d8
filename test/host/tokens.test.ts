import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { checkCaller, createTokens } from '../../lib/host/tokens.ts'
import { createSigner, type Signer } from '../../lib/token.ts'

const ana = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }
let signer: Signer

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  signer = await createSigner({ ...(await exportJWK(privateKey)), kid: 'k' }, 'https://host.test', 'files')
})

function tokensAt(clock: { nowMs: number }) {
  return createTokens({ signer, ttlSec: 300, now: () => clock.nowMs })
}

test('a token names the caller, issuer and audience, and lives as long as configured', async () => {
  const token = await tokensAt({ nowMs: 1_000_000_000_000 }).of(ana)
  expect(decodeJwt(token)).toEqual({
    iss: 'https://host.test',
    aud: 'files',
    sub: 'ana',
    workspace: 'acme',
    server: 'reports',
    iat: 1_000_000_000,
    exp: 1_000_000_300,
  })
})

test('a token is used until a fifth of its life is left', async () => {
  const clock = { nowMs: 1_000_000_000_000 }
  const tokens = tokensAt(clock)
  const first = await tokens.of(ana)
  clock.nowMs += 239_999
  expect(await tokens.of(ana)).toBe(first)
  clock.nowMs += 1
  expect(decodeJwt(await tokens.of(ana)).exp).toBe(1_000_000_540)
})

test('callers that differ in any identifier never share a token', async () => {
  const tokens = tokensAt({ nowMs: 1_000_000_000_000 })
  const subjects = await Promise.all(
    [ana, { ...ana, userId: 'ben' }, { ...ana, workspaceId: 'other' }, { ...ana, serverId: 'mail' }].map(
      async (caller) => decodeJwt(await tokens.of(caller)),
    ),
  )
  expect(subjects.map(({ sub, workspace, server }) => [sub, workspace, server])).toEqual([
    ['ana', 'acme', 'reports'],
    ['ben', 'acme', 'reports'],
    ['ana', 'other', 'reports'],
    ['ana', 'acme', 'mail'],
  ])
})

test('a refused token is signed anew', async () => {
  const clock = { nowMs: 1_000_000_000_000 }
  const tokens = tokensAt(clock)
  await tokens.of(ana)
  tokens.forget(ana)
  clock.nowMs += 60_000
  expect(decodeJwt(await tokens.of(ana)).exp).toBe(1_000_000_360)
})

test('a signer that cannot be had fails each call as transport', async () => {
  const tokens = createTokens({ signer: Promise.reject(new Error('no key')), ttlSec: 300, now: Date.now })
  await expect(tokens.of(ana)).rejects.toMatchObject({ code: -32603, transport: true })
  await expect(tokens.of(ana)).rejects.toMatchObject({ code: -32603, transport: true })
})

test.each([
  ['', 'empty'],
  ['a b', 'a space'],
  ['ünder', 'not ASCII'],
  ['a\n', 'a line feed'],
  ['x'.repeat(129), 'too long'],
])('an identifier like %j is refused: %s', (userId) => {
  expect(() => checkCaller({ ...ana, userId })).toThrow('caller.userId must be')
})

test('an identifier of an identity provider is fine', () => {
  expect(() => checkCaller({ ...ana, userId: 'auth0|5f7c8ec7c33c6c004bbafe82' })).not.toThrow()
})
