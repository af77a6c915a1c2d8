/**
 * Contract 3 and 3a: text or blob by type, what type a file has, and how bytes become text without losing one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeKey } from '../../lib/complete.ts'
import { objectKey } from '../../lib/keys.ts'
import { newFileId } from '../../lib/store.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** The entry that a read of a fresh file returns, without its URI. */
async function entryOf(bytes: Uint8Array | string, input: { type?: string; name?: string } = {}) {
  const { fileId } = await service.put(bytes, { name: 'file', ...input })
  return readEntry(fileId)
}

/** The same for an object that came into the bucket by itself, under a type that no host could store. */
async function foreignEntryOf(text: string, name: string, contentType: string) {
  const fileId = newFileId()
  const key = objectKey({ workspaceId: 'acme', ownerId: 'ana', fileId, name })
  await service.stores.objects.put(key, Buffer.from(text), { size: text.length, contentType })
  await completeKey(service.stores, key)
  return readEntry(fileId)
}

async function readEntry(fileId: string) {
  const answer = await service.read(`files://${fileId}`)
  expect(answer.status).toBe(200)
  const { uri, ...entry } = answer.body.result.contents[0]
  expect(uri).toBe(`files://${fileId}`)
  const listed = (await service.list()).body.result.resources.find(
    (resource: { uri: string }) => resource.uri === uri,
  )
  expect(listed.mimeType).toBe(entry.mimeType)
  return entry
}

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test.each([
  'text/plain',
  'text/csv',
  'text/html',
  'text/javascript',
  'text/x-anything',
  'application/json',
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'application/typescript',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/json5',
  'application/toml',
  'application/sql',
  'application/graphql',
  'application/x-sh',
  'application/x-www-form-urlencoded',
  'application/x-tex',
  'application/x-latex',
  'application/x-subrip',
  'application/ld+json',
  'application/problem+json',
  'application/atom+xml',
  'application/vnd.oai.openapi+yaml',
  'model/x+xml',
  'application/json; profile=x',
])('%s is text (C09)', async (type) => {
  expect(await entryOf('a,b', { type })).toEqual({ mimeType: type, text: 'a,b' })
})

test.each([
  'image/svg+xml',
  'image/x+json',
  'image/png',
  'audio/mpeg',
  'video/mp4',
  'font/woff2',
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/msword',
  'application/x-tar',
  'application/jsonx',
  'application/xjson',
  'application/json+zip',
  'application/ld+jsonx',
  'application/x-python',
  'multipart/mixed',
  'x/text',
])('%s is a blob (C09)', async (type) => {
  expect(await entryOf('a,b', { type })).toEqual({ mimeType: type, blob: 'YSxi' })
})

test.each([
  ['TEXT/CSV', 'text/csv', 'text'],
  ['Text/X-Thing; Header=Present', 'text/x-thing; header=Present', 'text'],
  ['Application/LD+JSON', 'application/ld+json', 'text'],
  [' text/plain ', 'text/plain', 'text'],
  ['text/csv;header=present', 'text/csv; header=present', 'text'],
  ['text/plain; title="a b"', 'text/plain; title="a b"', 'text'],
  ['IMAGE/PNG', 'image/png', 'blob'],
])('the declared type %j is shown as %j', async (type, mimeType, member) => {
  const entry = await entryOf('x', { type })
  expect(Object.keys(entry)).toEqual(['mimeType', member])
  expect(entry.mimeType).toBe(mimeType)
})

test.each([
  ['notes.md', 'text/markdown', 'text'],
  ['NOTES.MD', 'text/markdown', 'text'],
  ['a.csv', 'text/csv', 'text'],
  ['a.json', 'application/json', 'text'],
  ['a.ts', 'application/typescript', 'text'],
  ['a.py', 'text/x-python', 'text'],
  ['a.yaml', 'text/yaml', 'text'],
  ['a.sql', 'application/sql', 'text'],
  ['Makefile', 'text/x-makefile', 'text'],
  ['.env', 'text/plain', 'text'],
  ['a.pdf', 'application/pdf', 'blob'],
  ['a.png', 'image/png', 'blob'],
  ['a.svg', 'image/svg+xml', 'blob'],
  ['a.tar.gz', 'application/gzip', 'blob'],
  ['data.bin', 'application/octet-stream', 'blob'],
  ['no-extension', 'application/octet-stream', 'blob'],
  ['dot.', 'application/octet-stream', 'blob'],
  ['a.constructor', 'application/octet-stream', 'blob'],
  ['a.__proto__', 'application/octet-stream', 'blob'],
])('%s that declares nothing, or only bytes, is %s (B14, C12)', async (name, mimeType, member) => {
  for (const type of [undefined, 'application/octet-stream', 'binary/octet-stream', 'Binary/Octet-Stream']) {
    const entry = await entryOf('x', { name, ...(type === undefined ? {} : { type }) })
    expect(entry).toEqual({ mimeType, [member]: member === 'text' ? 'x' : 'eA==' })
  }
})

test('a declared type beats the extension', async () => {
  expect(await entryOf('x', { name: 'a.csv', type: 'image/png' })).toEqual({
    mimeType: 'image/png',
    blob: 'eA==',
  })
})

test.each([';', 'text', '/', 'text/', '/plain', 'a b/c', `x/${'y'.repeat(300)}`, 'junk '.repeat(60)])(
  'a declaration that is no type, %j, counts as none (C15)',
  async (type) => {
    expect(await foreignEntryOf('x', 'a.csv', type)).toEqual({ mimeType: 'text/csv', text: 'x' })
    expect(await foreignEntryOf('x', 'a', type)).toEqual({
      mimeType: 'application/octet-stream',
      blob: 'eA==',
    })
  },
)

test.each([
  ['utf-8', 'c3 a9', 'é'],
  ['UTF8', 'c3 a9', 'é'],
  ['"utf-8"', 'c3 a9', 'é'],
  ['iso-8859-1', 'e9 80', 'é€'],
  ['windows-1252', '80 9f e9', '€Ÿé'],
  ['iso-8859-2', 'b1', 'ą'],
  ['windows-1251', 'cf f0 e8', 'При'],
  ['koi8-r', 'f0', 'П'],
  ['shift_jis', '82 a0', 'あ'],
  ['euc-jp', 'a4 a2', 'あ'],
  ['iso-2022-jp', '1b 24 42 24 22 1b 28 42', 'あ'],
  ['gb18030', 'b6 ab', '东'],
  ['gbk', '80', '€'],
  ['big5', 'a4 a4', '中'],
  ['euc-kr', 'b0 a1', '가'],
  ['utf-16le', '61 00 3d d8 00 de', 'a😀'],
  ['utf-16be', '00 61 d8 3d de 00', 'a😀'],
  ['utf-16', '61 00', 'a'],
])('text that declares charset=%s is decoded, and its type says no charset', async (charset, hex, text) => {
  const entry = await entryOf(bytesOf(hex), { type: `text/plain; charset=${charset}` })
  expect(entry).toEqual({ mimeType: 'text/plain', text })
})

test('other parameters stay when the charset has been used', async () => {
  const entry = await entryOf('x', { type: 'text/csv; header=present; charset=utf-8; x=y' })
  expect(entry.mimeType).toBe('text/csv; header=present; x=y')
})

test.each(['bogus', 'binary', 'utf-7', 'x-unknown-1', '""'])(
  'charset=%s, which no standard names, counts as undeclared and stays in the type (C15, C16)',
  async (charset) => {
    const type = `text/plain; charset=${charset}`
    expect(await entryOf('é', { type })).toEqual({ mimeType: type, text: 'é' })
    expect(await entryOf(bytesOf('e9'), { type })).toEqual({ mimeType: type, blob: '6Q==' })
  },
)

test.each([
  ['little-endian', 'ff fe 61 00 e9 00', 'aé'],
  ['big-endian', 'fe ff 00 61 00 e9', 'aé'],
  ['little-endian and nothing else', 'ff fe', ''],
  ['little-endian, and a second one that is text', 'ff fe ff fe 61 00', '\ufeffa'],
])('a UTF-16 byte order mark, %s, is honoured and dropped (C04)', async (_, hex, text) => {
  expect(await entryOf(bytesOf(hex), { type: 'text/plain' })).toEqual({ mimeType: 'text/plain', text })
})

test('a byte order mark decides the order of declared UTF-16', async () => {
  for (const charset of ['utf-16', 'utf-16le', 'utf-16be']) {
    const type = `text/plain; charset=${charset}`
    expect(await entryOf(bytesOf('ff fe 61 00'), { type })).toEqual({ mimeType: 'text/plain', text: 'a' })
    expect(await entryOf(bytesOf('fe ff 00 61'), { type })).toEqual({ mimeType: 'text/plain', text: 'a' })
  }
})

test('a UTF-8 byte order mark stays in the text, so that it encodes back to the very bytes', async () => {
  const bytes = bytesOf('ef bb bf 61')
  for (const type of ['text/plain', 'text/plain; charset=utf-8']) {
    const { text } = await entryOf(bytes, { type })
    expect(text).toBe('\ufeffa')
    expect(Buffer.from(text)).toEqual(bytes)
  }
})

test.each([
  ['a Windows-1252 table that declares nothing', 'text/csv', '63 61 66 e9', 'Y2Fm6Q=='],
  ['a surrogate in UTF-8', 'text/plain', 'ed a0 80', '7aCA'],
  ['an overlong slash', 'text/plain', 'c0 af', 'wK8='],
  ['a cut character', 'text/plain', 'e2 82', '4oI='],
  ['beyond the last code point', 'text/plain', 'f4 90 80 80', '9JCAgA=='],
  ['half a UTF-16 unit', 'text/plain', 'ff fe 61', '//5h'],
  ['a lone high surrogate at the end', 'text/plain', 'ff fe 00 d8', '//4A2A=='],
  ['a lone high surrogate inside', 'text/plain', 'ff fe 00 d8 61 00', '//4A2GEA'],
  ['a lone low surrogate', 'text/plain', 'ff fe 00 dc', '//4A3A=='],
])('%s is a blob, byte for byte (C06)', async (_, type, hex, blob) => {
  expect(await entryOf(bytesOf(hex), { type })).toEqual({ mimeType: type, blob })
})

test.each([
  ['shift_jis', '61 82', 'YYI='],
  ['euc-jp', 'a4', 'pA=='],
  ['gb18030', '81', 'gQ=='],
  ['euc-kr', 'b0', 'sA=='],
  ['windows-1253', 'aa', 'qg=='],
  ['utf-8', 'ff fe 61 00', '//5hAA=='],
])(
  'bytes that are not valid in the declared %s are a blob, and the type keeps it',
  async (charset, hex, blob) => {
    const type = `text/plain; charset=${charset}`
    expect(await entryOf(bytesOf(hex), { type })).toEqual({ mimeType: type, blob })
  },
)

test('the answer is UTF-8 with no escaped surrogate and no replacement character (C06)', async () => {
  const { fileId } = await service.put('😀\u0000"\\\u2028é\u{10ffff}', { type: 'text/plain' })
  const response = await fetch(`${service.url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await service.token()}` },
    body: `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"files://${fileId}"}}`,
  })
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
  expect(text).toContain('"text":"😀\\u0000\\"\\\\\u2028é\u{10ffff}"')
  expect(text).not.toMatch(/\\ud[89a-f]|\ufffd/i)
})

test('a replacement character that is in the file stays', async () => {
  expect(await entryOf('\ufffd', { type: 'text/plain' })).toEqual({ mimeType: 'text/plain', text: '\ufffd' })
})

test('a text of 1 MiB of NUL is complete (C07)', async () => {
  const { text } = await entryOf(Buffer.alloc(1_048_576), { type: 'text/plain' })
  expect(text.length).toBe(1_048_576)
  expect(/^\0+$/.test(text)).toBe(true)
})

test('invalid bytes at the edges of 64 KiB make a blob that is byte for byte (C11)', async () => {
  for (const at of [65_534, 65_535, 65_536, 131_071]) {
    const bytes = Buffer.alloc(200_000, 'é')
    bytes[at] = 0xff
    const entry = await entryOf(bytes, { type: 'text/plain' })
    expect(Object.keys(entry)).toEqual(['mimeType', 'blob'])
    expect(Buffer.from(entry.blob, 'base64').equals(bytes)).toBe(true)
  }
})

test('characters across the edges of 64 KiB are whole (C11)', async () => {
  for (const pad of [0, 1, 2, 3]) {
    const text = 'x'.repeat(pad) + '😀é€'.repeat(30_000)
    expect((await entryOf(text, { type: 'text/plain' })).text === text).toBe(true)
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le')
    expect((await entryOf(wide, { type: 'text/plain' })).text === text).toBe(true)
  }
})
