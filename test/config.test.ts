/**
 * Configuration: what it holds, and that every wrong variable is named, all at once.
 */
import { expect, test } from 'vitest'
import { parseConfig, parseStoreConfig } from '../lib/config.ts'

const jwks = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}'
const good = {
  FILES_BUCKET: 'bucket',
  FILES_TABLE: 'files',
  BUCKETS_TABLE: 'buckets',
  HOST_JWKS: jwks,
  TOKEN_ISSUER: 'https://host.test',
  TOKEN_AUDIENCE: 'resolver',
}

/** The variables that the error names, in order. */
function wrong(environment: Record<string, string | undefined>): string[] {
  try {
    parseConfig(environment)
    return []
  } catch (error) {
    const lines = String(error).split('\n').slice(1)
    return [...new Set(lines.map((line) => line.trim().split(':')[0] ?? ''))].sort()
  }
}

test('the defaults are those of the contract', () => {
  expect(parseConfig(good)).toEqual({
    bucket: 'bucket',
    filesTable: 'files',
    bucketsTable: 'buckets',
    keys: {
      jwks: {
        keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
      },
    },
    issuer: 'https://host.test',
    audience: 'resolver',
    algorithms: ['EdDSA', 'Ed25519', 'ES256'],
    maxReadBytes: 10_485_760,
    rate: { perSecond: 100, burst: 1_000 },
    firstByteMs: 25_000,
    idleMs: 15_000,
    responseMs: 180_000,
  })
})

test('every figure can be set', () => {
  const config = parseConfig({
    ...good,
    MAX_READ_BYTES: '1024',
    RATE_LIMIT_PER_SECOND: '5',
    RATE_LIMIT_BURST: '7',
    FIRST_BYTE_TIMEOUT_MS: '1',
    IDLE_TIMEOUT_MS: '2',
    RESPONSE_TIMEOUT_MS: '3',
    TOKEN_ALGORITHMS: 'ES256, EdDSA',
  })
  expect(config).toMatchObject({
    maxReadBytes: 1_024,
    rate: { perSecond: 5, burst: 7 },
    firstByteMs: 1,
    idleMs: 2,
    responseMs: 3,
    algorithms: ['ES256', 'EdDSA'],
  })
})

test('keys may come from a URL instead', () => {
  const { HOST_JWKS: _, ...rest } = good
  const config = parseConfig({ ...rest, HOST_JWKS_URL: 'https://host.test/jwks' })
  expect(config.keys).toEqual({ url: new URL('https://host.test/jwks') })
})

test('the result cannot be changed', () => {
  expect(Object.isFrozen(parseConfig(good))).toBe(true)
})

test('an empty environment names every variable that is missing, all at once', () => {
  expect(wrong({})).toEqual([
    'BUCKETS_TABLE',
    'FILES_BUCKET',
    'FILES_TABLE',
    'HOST_JWKS',
    'TOKEN_AUDIENCE',
    'TOKEN_ISSUER',
  ])
})

test.each(Object.keys(good))('%s is named when it is missing or empty', (name) => {
  expect(wrong({ ...good, [name]: undefined })).toEqual([name])
  expect(wrong({ ...good, [name]: '' })).toEqual([name])
})

test.each([
  'MAX_READ_BYTES',
  'RATE_LIMIT_PER_SECOND',
  'RATE_LIMIT_BURST',
  'FIRST_BYTE_TIMEOUT_MS',
  'IDLE_TIMEOUT_MS',
  'RESPONSE_TIMEOUT_MS',
])('%s is a positive whole number in digits', (name) => {
  for (const value of [
    '',
    ' ',
    '0',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    'ten',
    '1_000',
    '1,000',
    '٣',
    'Infinity',
  ]) {
    expect(wrong({ ...good, [name]: value })).toEqual([name])
  }
  for (const value of ['99999999999', '9'.repeat(30)])
    expect(wrong({ ...good, [name]: value })).toEqual([name])
})

test.each([
  ['no JSON', '{'],
  ['no set', '[]'],
  ['no keys', '{"keys":[]}'],
  ['a symmetric key', '{"keys":[{"kty":"oct","k":"AAAA"}]}'],
  ['a symmetric key that poses as another', '{"keys":[{"kty":"oct","k":"AAAA","crv":"Ed25519","x":"11qY"}]}'],
  ['a key without its value', '{"keys":[{"kty":"OKP"}]}'],
  ['a private key', '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qY","d":"nWGx"}]}'],
])('HOST_JWKS with %s is named, and its text is not repeated', (_, value) => {
  expect(wrong({ ...good, HOST_JWKS: value })).toEqual(['HOST_JWKS'])
  expect(() => parseConfig({ ...good, HOST_JWKS: value })).not.toThrow(/AAAA|nWGx/)
})

test('both sources of keys at once are refused', () => {
  expect(wrong({ ...good, HOST_JWKS_URL: 'https://host.test/jwks' })).toEqual(['HOST_JWKS'])
})

test.each(['', 'host.test/jwks', 'ftp://host.test/jwks', 'file:///etc/passwd', 'javascript:1'])(
  'HOST_JWKS_URL of %j is named',
  (value) => {
    expect(wrong({ ...good, HOST_JWKS: undefined, HOST_JWKS_URL: value })).toContain('HOST_JWKS_URL')
  },
)

test.each(['none', 'HS256', 'RS256', '', 'ES256,', 'es256', 'EdDSA,none'])(
  'TOKEN_ALGORITHMS of %j is named',
  (value) => {
    expect(wrong({ ...good, TOKEN_ALGORITHMS: value })).toEqual(['TOKEN_ALGORITHMS'])
  },
)

test('several wrong values are named together, each with what it must be', () => {
  const environment = { ...good, MAX_READ_BYTES: 'x', RATE_LIMIT_BURST: '0', FILES_TABLE: '', HOST_JWKS: '{' }
  expect(wrong(environment)).toEqual(['FILES_TABLE', 'HOST_JWKS', 'MAX_READ_BYTES', 'RATE_LIMIT_BURST'])
  expect(() => parseConfig(environment)).toThrow(
    /FILES_TABLE: must not be empty[\s\S]*MAX_READ_BYTES: must be a whole number in digits[\s\S]*RATE_LIMIT_BURST: must be from 1 to 1000000/,
  )
})

test('storing needs bucket and table only', () => {
  expect(parseStoreConfig({ FILES_BUCKET: 'b', FILES_TABLE: 't' })).toEqual({
    bucket: 'b',
    filesTable: 't',
    maxReadBytes: 10_485_760,
  })
  expect(() => parseStoreConfig({})).toThrow(/FILES_BUCKET: is missing[\s\S]*FILES_TABLE: is missing/)
})
