/**
 * The examples of the page that defines the extension, as they stand there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: '100', RATE_LIMIT_BURST: '1000' })
})
afterAll(() => service.close())

test('a read of a text file', async () => {
  await service.put('region,revenue\n...', { fileId: 'fl_abc_00000123', name: 'sales.csv' })
  const answer = await service.call(
    '{"jsonrpc":"2.0","id":7,"method":"ai.nimblebrain/resources/read","params":{"uri":"files://fl_abc_00000123"}}',
  )
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":7,"result":{"contents":[{"uri":"files://fl_abc_00000123","mimeType":"text/csv","text":"region,revenue\\n..."}]}}',
  )
})

test('the id fl_abc123 of the page has neither form that hosts make, so it names no file', async () => {
  const answer = await service.read('files://fl_abc123')
  expect(answer.body.error).toEqual({
    code: -32002,
    message: 'Resource not found',
    data: { uri: 'files://fl_abc123' },
  })
})

test('a list by type and tag', async () => {
  await service.put('%PDF-1.7', {
    fileId: 'fl_def_00000456',
    name: 'msa-2026.pdf',
    tags: ['contracts', 'signed'],
  })
  await service.put('%PDF-1.7', { name: 'other.pdf' })
  await service.put('x', { name: 'notes.txt', tags: ['contracts'] })
  const answer = await service.call(
    '{"jsonrpc":"2.0","id":8,"method":"ai.nimblebrain/resources/list","params":{"_meta":{"filter":{"mimeType":"application/pdf","tags":["contracts"]}}}}',
  )
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":8,"result":{"resources":[{"uri":"files://fl_def_00000456","name":"msa-2026.pdf","mimeType":"application/pdf","size":8}]}}',
  )
})

test('the error data of the table', async () => {
  const { fileId } = await service.put('12345')
  const error = async (frame: object, headers = {}) =>
    (await service.call({ jsonrpc: '2.0', id: 1, ...frame }, {}, { headers })).body.error
  const read = (uri: string) => ({ method: 'ai.nimblebrain/resources/read', params: { uri } })
  const list = (params: object) => ({ method: 'ai.nimblebrain/resources/list', params })

  expect(await error(read('files://fl_0123456789abcdef01234567'))).toMatchObject({
    code: -32002,
    data: { uri: 'files://fl_0123456789abcdef01234567' },
  })
  expect(await error(read('https://x'))).toMatchObject({
    code: -32602,
    data: { uri: 'https://x', supported: ['files'] },
  })
  expect(await error(list({ _meta: { filter: { scheme: 'https' } } }))).toMatchObject({
    code: -32602,
    data: { scheme: 'https', supported: ['files'] },
  })
  expect(await error(list({ cursor: 'abc' }))).toMatchObject({ code: -32602, data: { cursor: 'abc' } })
  expect(await error(list({ _meta: { filter: { tags: 'contracts' } } }))).toMatchObject({
    code: -32602,
    data: { receivedType: 'string' },
  })
  expect(await error(read(`files://${fileId}`), { 'max-read-bytes': '4' })).toMatchObject({
    code: -32005,
    data: { uri: `files://${fileId}`, size: 5, maxSize: 4 },
  })
})

test('no message has a prefix of another layer (D08)', async () => {
  const answer = await service.read('files://fl_0123456789abcdef01234567')
  expect(answer.body.error.message).toBe('Resource not found')
})
