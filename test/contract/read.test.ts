/**
 * Contract 3: which URIs are read, what a result looks like, and where too large begins.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const maxSize = 10_485_760
const readMethod = 'ai.nimblebrain/resources/read'

test('the result has one entry with the URI as it was written, the type, and text', async () => {
  await service.put('region,revenue\nnorth,1\n', {
    fileId: 'fl_000000000000000000000001',
    name: 'sales.csv',
    type: 'text/csv',
  })
  const answer = await service.read('files://fl_000000000000000000000001')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"files://fl_000000000000000000000001","mimeType":"text/csv","text":"region,revenue\\nnorth,1\\n"}]}}',
  )
})

test('the result of what is not text has a blob', async () => {
  await service.put(Uint8Array.of(0x89, 0x50, 0x4e, 0x47), {
    fileId: 'fl_000000000000000000000002',
    name: 'x.png',
    type: 'image/png',
  })
  const answer = await service.read('files://fl_000000000000000000000002')
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"files://fl_000000000000000000000002","mimeType":"image/png","blob":"iVBORw=="}]}}',
  )
})

test.each([
  ['text/plain', '{"uri":"files://fl_000000000000000000000003","mimeType":"text/plain","text":""}'],
  ['image/png', '{"uri":"files://fl_000000000000000000000004","mimeType":"image/png","blob":""}'],
])('an empty file of %s is an empty string', async (type, entry) => {
  const fileId = entry.slice(16, 43)
  await service.put('', { fileId, type })
  const answer = await service.read(`files://${fileId}`)
  expect(answer.text).toBe(`{"jsonrpc":"2.0","id":1,"result":{"contents":[${entry}]}}`)
})

test.each([
  'fl_0123456789abcdef01234567',
  'fl_abc_0123abcd',
  `fl_${'z'.repeat(32)}_deadbeef`,
  'fl_0_00000000',
])('the id %s is read', async (fileId) => {
  await service.put('hello', { fileId, type: 'text/plain' })
  const answer = await service.read(`files://${fileId}`)
  expect(answer.body.result).toEqual({
    contents: [{ uri: `files://${fileId}`, mimeType: 'text/plain', text: 'hello' }],
  })
})

test.each([
  ['missing', '{}'],
  ['null', '{"uri":null}'],
  ['a number', '{"uri":5}'],
  ['an object', '{"uri":{}}'],
  ['an array', '{"uri":["files://fl_0123456789abcdef01234567"]}'],
  ['true', '{"uri":true}'],
  ['2,049 characters long', `{"uri":"files://${'x'.repeat(2_041)}"}`],
])('a uri that is %s is -32602 (D22)', async (_, params) => {
  const answer = await service.call(`{"jsonrpc":"2.0","id":4,"method":"${readMethod}","params":${params}}`)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: 4,
    error: { code: -32602, message: expect.stringMatching(/^Invalid params/) },
  })
})

test.each(['', ',"params":null', ',"params":[]', ',"params":"files://x"', ',"params":["files://x"]'])(
  'a read whose params are %j is -32602',
  async (params) => {
    const answer = await service.call(`{"jsonrpc":"2.0","id":4,"method":"${readMethod}"${params}}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id: 4, error: { code: -32602 } })
  },
)

test('a uri of 2,048 characters is looked up', async () => {
  const uri = `files://${'x'.repeat(2_040)}`
  expect((await service.read(uri)).body.error).toEqual({
    code: -32002,
    message: 'Resource not found',
    data: { uri },
  })
})

test.each([
  'FILES://fl_0123456789abcdef01234567',
  'Files://fl_0123456789abcdef01234567',
  'files:/fl_0123456789abcdef01234567',
  'files:fl_0123456789abcdef01234567',
  'files://',
  'files',
  '',
  'fl_0123456789abcdef01234567',
  '//fl_0123456789abcdef01234567',
  'file://fl_0123456789abcdef01234567',
  'https://x',
  'filess://x',
  ' files://fl_0123456789abcdef01234567',
  '\ufefffiles://fl_0123456789abcdef01234567',
  'files%3A//fl_0123456789abcdef01234567',
])('the URI %j is -32602 with what is supported (D04)', async (uri) => {
  const answer = await service.read(uri)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32602,
      message: expect.stringMatching(/^Invalid params/),
      data: { uri, supported: ['files'] },
    },
  })
})

test('a file of exactly 10,485,760 bytes is served, to the last bit (A01)', async () => {
  const bytes = Buffer.alloc(maxSize, 'slightly more than nothing ')
  bytes[maxSize - 1] = 0xff
  const { fileId } = await service.put(bytes, { type: 'application/pdf' })
  const answer = await service.read(`files://${fileId}`)
  expect(answer.status).toBe(200)
  const [entry] = answer.body.result.contents
  expect(entry.blob).toHaveLength(13_981_016)
  const digest = createHash('sha256').update(Buffer.from(entry.blob, 'base64')).digest('hex')
  expect(digest).toBe('3aecf53635785ff3c8dca036f0972c808173af6a817bc637d72604e5285ae4ab')
})

test('one byte more is -32005 with uri, size and maxSize', async () => {
  for (const type of ['application/pdf', 'text/plain']) {
    const { fileId } = await service.put(Buffer.alloc(maxSize + 1, 'a'), { type })
    const answer = await service.read(`files://${fileId}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32005,
        message: 'Response too large',
        data: { uri: `files://${fileId}`, size: 10_485_761, maxSize: 10_485_760 },
      },
    })
  }
})

test('a file that is too large and not visible is -32002', async () => {
  const { fileId } = await service.put(Buffer.alloc(maxSize + 1), { type: 'application/pdf' })
  const answer = await service.read(`files://${fileId}`, { user: 'bob' })
  expect(answer.body.error.code).toBe(-32002)
  expect(answer.body.error.data).toEqual({ uri: `files://${fileId}` })
})

test('Max-Read-Bytes lowers the limit for one request, never raises it', async () => {
  const uri = `files://${(await service.put('12345')).fileId}`
  const tooLarge = { code: -32005, message: 'Response too large', data: { uri, size: 5, maxSize: 4 } }
  expect((await service.read(uri, {}, { 'max-read-bytes': '4' })).body.error).toEqual(tooLarge)
  expect((await service.read(uri, {}, { 'max-read-bytes': '0' })).body.error.data.maxSize).toBe(0)
  for (const enough of ['5', '6', '005', '10485760', '999999999999999', '9'.repeat(400)]) {
    expect((await service.read(uri, {}, { 'max-read-bytes': enough })).body.result.contents[0].text).toBe(
      '12345',
    )
  }
  const large = `files://${(await service.put(Buffer.alloc(maxSize + 1))).fileId}`
  const answer = await service.read(large, {}, { 'max-read-bytes': '20000000' })
  expect(answer.body.error.data).toEqual({ uri: large, size: 10_485_761, maxSize: 10_485_760 })
})

test('an empty file is served under a limit of 0', async () => {
  const uri = `files://${(await service.put('')).fileId}`
  expect((await service.read(uri, {}, { 'max-read-bytes': '0' })).body.result.contents[0].text).toBe('')
})

test.each(['', '-1', '+1', '1.0', '1e3', '0x10', 'abc', '1 2', '5, 5', '1_000', '٣', 'NaN', 'Infinity'])(
  'Max-Read-Bytes of %j is 400',
  async (limit) => {
    const value = Buffer.from(limit).toString('latin1')
    const answer = await service.read('files://x', {}, { 'max-read-bytes': value })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32600 } })
  },
)

test('what a read returns follows a rename, a new tag and nothing else', async () => {
  const { fileId } = await service.put('a,b', { name: 'x.csv' })
  const first = await service.read(`files://${fileId}`)
  const { renameFile, tagFile } = await import('../../lib/change.ts')
  await renameFile(service.stores, { workspaceId: 'acme', fileId }, 'x.pdf')
  await tagFile(service.stores, { workspaceId: 'acme', fileId }, ['t'])
  expect((await service.read(`files://${fileId}`)).text).toBe(first.text)
})
