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

test.each(Object.keys(good))('%s is named when it is missing, empty or blank', (name) => {
  for (const value of [undefined, '', ' ', '\t\n']) expect(wrong({ ...good, [name]: value })).toEqual([name])
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

const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
const ecX = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'
const ecY = 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'
const okp = { kty: 'OKP', crv: 'Ed25519', x }
const ec = { kty: 'EC', crv: 'P-256', x: ecX, y: ecY }

test.each<[string, object[], string]>([
  ['a key whose x is too short', [{ ...okp, x: '11qY' }], 'key 1 is no valid Ed25519 key'],
  ['a key whose x is too long', [{ ...okp, x: `${x}AAAA` }], 'key 1 is no valid Ed25519 key'],
  ['a key for agreement', [{ ...okp, crv: 'X25519' }], 'key 1 is neither Ed25519 nor P-256'],
  ['a key without y', [{ kty: 'EC', crv: 'P-256', x: ecX }], 'key 1 is no valid P-256 key'],
  ['a key that is no point of its curve', [{ ...ec, y: ecX }], 'key 1 is no valid P-256 key'],
  ['a key of another curve', [{ ...ec, crv: 'P-384' }], 'key 1 is neither Ed25519 nor P-256'],
  ['a curve of another type', [{ ...okp, kty: 'EC' }], 'key 1 is neither Ed25519 nor P-256'],
  [
    'the algorithm of another curve',
    [{ ...okp, alg: 'ES256' }],
    'key 1 has an alg that Ed25519 is not used with',
  ],
  [
    'an algorithm that is never accepted',
    [{ ...ec, alg: 'HS256' }],
    'key 1 has an alg that P-256 is not used with',
  ],
  ['a key for encryption', [{ ...okp, use: 'enc' }], 'key 1 is not for verifying signatures'],
  ['a key for signing only', [{ ...okp, key_ops: ['sign'] }], 'key 1 is not for verifying signatures'],
  ['a key id that is no text', [{ ...okp, kid: 7 }], 'key 1 is no JSON Web Key of a public OKP or EC key'],
  ['a broken key beside a good one', [okp, { ...ec, y: ecX }], 'key 2 is no valid P-256 key'],
  ['no object among its keys', [okp, null as never], 'key 2 is no JSON Web Key of a public OKP or EC key'],
  ['two keys of one id', [okp, { ...okp, alg: 'EdDSA' }], 'keys 1 and 2 need a kid each, to be told apart'],
])('HOST_JWKS with %s is named, with what is wrong', (_, keys, message) => {
  const environment = { ...good, HOST_JWKS: JSON.stringify({ keys }) }
  expect(wrong(environment)).toEqual(['HOST_JWKS'])
  expect(() => parseConfig(environment)).toThrow(`HOST_JWKS: ${message}`)
})

test.each<[string, object[]]>([
  ['of either curve', [okp, ec]],
  [
    'with their algorithms',
    [
      { ...okp, alg: 'Ed25519' },
      { ...ec, alg: 'ES256' },
    ],
  ],
  ['for signatures', [{ ...okp, use: 'sig', key_ops: ['verify'], ext: true, kid: 'a' }]],
  [
    'of one curve and two ids',
    [
      { ...okp, kid: 'a' },
      { ...okp, kid: 'b' },
    ],
  ],
  [
    'of one curve and two algorithms',
    [
      { ...okp, alg: 'EdDSA' },
      { ...okp, alg: 'Ed25519' },
    ],
  ],
])('HOST_JWKS may hold keys %s', (_, keys) => {
  expect(parseConfig({ ...good, HOST_JWKS: JSON.stringify({ keys }) }).keys).toEqual({ jwks: { keys } })
})

test('keys that no accepted algorithm can use are refused', () => {
  const environment = { ...good, TOKEN_ALGORITHMS: 'ES256' }
  expect(wrong(environment)).toEqual(['TOKEN_ALGORITHMS'])
  expect(() => parseConfig(environment)).toThrow(
    'TOKEN_ALGORITHMS: no key of HOST_JWKS is used with any of these',
  )
  expect(
    wrong({ ...good, HOST_JWKS: JSON.stringify({ keys: [okp, ec] }), TOKEN_ALGORITHMS: 'ES256' }),
  ).toEqual([])
  const ed25519 = JSON.stringify({ keys: [{ ...okp, alg: 'Ed25519' }] })
  expect(wrong({ ...good, HOST_JWKS: ed25519, TOKEN_ALGORITHMS: 'EdDSA' })).toEqual(['TOKEN_ALGORITHMS'])
})

test.each([
  'Files',
  'my_files',
  'ab',
  'x'.repeat(64),
  '-files',
  'files-',
  'a..b',
  '192.168.0.1',
  'fi les',
  ' files',
  's3://files',
  'files/a',
])('FILES_BUCKET of %j is named', (value) => {
  expect(wrong({ ...good, FILES_BUCKET: value })).toEqual(['FILES_BUCKET'])
  expect(() => parseStoreConfig({ FILES_BUCKET: value, FILES_TABLE: 'files' })).toThrow(
    /FILES_BUCKET: must be a/,
  )
})

test.each(['ab', 'x'.repeat(256), 'fi les', 'files\n', 'files/a', 'fïles'])(
  'a table named %j is named',
  (value) => {
    expect(wrong({ ...good, FILES_TABLE: value })).toEqual(['FILES_TABLE'])
    expect(wrong({ ...good, BUCKETS_TABLE: value })).toEqual(['BUCKETS_TABLE'])
  },
)

test('a bucket and tables may have any name that AWS allows', () => {
  for (const name of ['abc', 'files.host-1.test', '1files', 'x'.repeat(63)])
    expect(wrong({ ...good, FILES_BUCKET: name })).toEqual([])
  for (const name of ['abc', 'Files_1.host-A', 'x'.repeat(255)])
    expect(wrong({ ...good, FILES_TABLE: name, BUCKETS_TABLE: `${name.slice(1)}b` })).toEqual([])
})

test.each(['', ' ', 'a b', 'x'.repeat(256), 'é'])('METRICS_NAMESPACE of %j is named', (value) => {
  expect(wrong({ ...good, METRICS_NAMESPACE: value })).toEqual(['METRICS_NAMESPACE'])
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

test.each([
  'https://user:secret@host.test/jwks',
  'https://secret@host.test/jwks',
  'https://:secret@host.test/',
])(
  'HOST_JWKS_URL with a credential, which no fetch sends and the log would show, is named without it',
  (value) => {
    const environment = { ...good, HOST_JWKS: undefined, HOST_JWKS_URL: value }
    expect(wrong(environment)).toEqual(['HOST_JWKS_URL'])
    expect(() => parseConfig(environment)).not.toThrow(/secret/)
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
  expect(parseStoreConfig({ FILES_BUCKET: 'bucket', FILES_TABLE: 'table' })).toEqual({
    bucket: 'bucket',
    filesTable: 'table',
    maxReadBytes: 10_485_760,
  })
  expect(() => parseStoreConfig({})).toThrow(/FILES_BUCKET: is missing[\s\S]*FILES_TABLE: is missing/)
})
