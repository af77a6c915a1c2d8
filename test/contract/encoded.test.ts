/**
 * Contract 3: what was stored with a `Content-Encoding`.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** What a read of a fresh file stored with this encoding returns, and the size that a list shows. */
async function stored(bytes: Uint8Array, type: string, contentEncoding: string) {
  const { fileId } = await service.put(bytes, { type, contentEncoding })
  const answer = await service.read(`files://${fileId}`)
  const { resources } = (await service.list()).body.result
  const { size } = resources.find((resource: { uri: string }) => resource.uri === `files://${fileId}`)
  return { entry: answer.body.result?.contents[0], error: answer.body.error, size, uri: `files://${fileId}` }
}

test.each(['gzip', 'GZIP', ' gzip '])('text stored with %j is served decoded (B07)', async (encoding) => {
  const { entry, size, uri } = await stored(gzipSync('héllo'), 'text/plain', encoding)
  expect(entry).toEqual({ uri, mimeType: 'text/plain', text: 'héllo' })
  expect(size).toBe(6)
})

test('a blob stored with gzip is served decoded', async () => {
  const { entry, size } = await stored(gzipSync(Uint8Array.of(1, 2, 255)), 'image/png', 'gzip')
  expect(entry.blob).toBe('AQL/')
  expect(size).toBe(3)
})

test('an empty file stored with gzip is empty', async () => {
  const { entry, size } = await stored(gzipSync(''), 'text/plain', 'gzip')
  expect(entry.text).toBe('')
  expect(size).toBe(0)
})

test('no bytes at all, stored with gzip, are an empty file of its type', async () => {
  const text = await stored(Buffer.alloc(0), 'text/plain; charset=utf-8', 'gzip')
  expect([text.entry, text.size]).toEqual([{ uri: text.uri, mimeType: 'text/plain', text: '' }, 0])
  const blob = await stored(Buffer.alloc(0), 'image/png', 'gzip')
  expect([blob.entry, blob.size]).toEqual([{ uri: blob.uri, mimeType: 'image/png', blob: '' }, 0])
  const other = await stored(Buffer.alloc(0), 'text/plain', 'br')
  expect([other.entry, other.size]).toEqual([{ uri: other.uri, mimeType: 'text/plain', blob: '' }, 0])
})

test('two gzip members are one file', async () => {
  const { entry } = await stored(Buffer.concat([gzipSync('ab'), gzipSync('cd')]), 'text/plain', 'gzip')
  expect(entry.text).toBe('abcd')
})

test('a gzip file that declares its type as gzip and no encoding is not decoded', async () => {
  const bytes = gzipSync('x')
  const { fileId } = await service.put(bytes, { type: 'application/gzip' })
  const answer = await service.read(`files://${fileId}`)
  expect(Buffer.from(answer.body.result.contents[0].blob, 'base64').equals(bytes)).toBe(true)
})

test('a gzip of exactly the limit is served', async () => {
  const { entry, size } = await stored(gzipSync(Buffer.alloc(10_485_760, 'a')), 'text/plain', 'gzip')
  expect(entry.text.length).toBe(10_485_760)
  expect(size).toBe(10_485_760)
})

test.each(['text/plain', 'image/png'])(
  'a gzip of %s that decodes to more is -32005 with its stored size (B07)',
  async (type) => {
    const bytes = gzipSync(Buffer.alloc(50_000_000))
    const { error, size, uri } = await stored(bytes, type, 'gzip')
    expect(error).toEqual({
      code: -32005,
      message: 'Response too large',
      data: { uri, size: bytes.length, maxSize: 10_485_760 },
    })
    expect(size).toBe(bytes.length)
  },
)

test('one byte more than the limit is too large', async () => {
  const { error } = await stored(gzipSync(Buffer.alloc(10_485_761)), 'text/plain', 'gzip')
  expect(error.code).toBe(-32005)
})

test('Max-Read-Bytes counts decoded bytes', async () => {
  const { fileId } = await service.put(gzipSync('x'.repeat(1_000)), {
    type: 'text/plain',
    contentEncoding: 'gzip',
  })
  const uri = `files://${fileId}`
  const answer = await service.read(uri, {}, { 'max-read-bytes': '999' })
  expect(answer.body.error.data).toEqual({ uri, size: 1_000, maxSize: 999 })
  expect((await service.read(uri, {}, { 'max-read-bytes': '1000' })).body.error).toBeUndefined()
})

const whole = gzipSync('some text that is long enough')

test.each([
  ['no gzip at all', Buffer.from('plain')],
  ['cut', whole.subarray(0, whole.length - 9)],
  ['cut in its checksum', whole.subarray(0, whole.length - 4)],
  ['wrong in its checksum', Buffer.concat([whole.subarray(0, whole.length - 8), Buffer.alloc(8)])],
  ['a header alone', whole.subarray(0, 10)],
])('what is stored as gzip and is %s is a blob of the stored bytes', async (_, bytes) => {
  const { entry, size, uri } = await stored(bytes, 'text/plain', 'gzip')
  expect(entry).toEqual({ uri, mimeType: 'text/plain', blob: bytes.toString('base64') })
  expect(size).toBe(bytes.length)
})

test.each([
  ['br', brotliCompressSync('x')],
  ['deflate', Buffer.from('x')],
  ['zstd', Buffer.from('x')],
  ['gzip, br', gzipSync('x')],
  ['gzip, gzip', gzipSync(gzipSync('x'))],
  ['bogus', Buffer.from('x')],
])('the encoding %j is not undone: the stored bytes are a blob', async (encoding, bytes) => {
  const { entry, size, uri } = await stored(bytes, 'text/plain; charset=utf-8', encoding)
  expect(entry).toEqual({ uri, mimeType: 'text/plain; charset=utf-8', blob: bytes.toString('base64') })
  expect(size).toBe(bytes.length)
})

test('the encoding identity is none', async () => {
  expect((await stored(Buffer.from('x'), 'text/plain', 'identity')).entry.text).toBe('x')
})
