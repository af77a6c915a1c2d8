/**
 * Contract 7: keys under `ai.nimblebrain/` do nothing in a request and are in no answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.put('mine', { fileId: 'fl_000000000000000000000001', name: 'a.txt', tags: ['t'] })
  await service.put('his', { fileId: 'fl_000000000000000000000002', name: 'b.txt', ownerId: 'bob' })
})
afterAll(() => service.close())

const reserved = {
  'ai.nimblebrain/non-advancing': true,
  'ai.nimblebrain/infra-error': true,
  'ai.nimblebrain/skill-activated': 'x',
  'ai.nimblebrain/skill-suppression': ['x'],
  'ai.nimblebrain/source': 'another-server',
  'ai.nimblebrain/filter': { tags: ['nowhere'] },
  'ai.nimblebrain/workspace': 'other',
  'ai.nimblebrain/user': 'bob',
  'ai.nimblebrain/anything': null,
  'ai.nimblebrain/': 1,
}

test('reserved keys change no read', async () => {
  for (const [id, text] of [
    ['fl_000000000000000000000001', 'mine'],
    ['fl_000000000000000000000002', undefined],
  ]) {
    const frame = {
      jsonrpc: '2.0',
      id: 1,
      method: 'ai.nimblebrain/resources/read',
      params: { uri: `files://${id}`, _meta: reserved },
    }
    const answer = await service.call(frame)
    expect(answer.body.result?.contents[0].text).toBe(text)
    expect(answer.text).not.toContain('ai.nimblebrain/')
  }
})

test.each([
  'null',
  '7',
  '"x"',
  '[]',
  '[{"filter":1}]',
  'true',
  '{"filter":5}',
  '{"filter":{"owner":"bob"}}',
  '{"":null}',
])('a read takes no notice of a _meta of %s: nothing in it is for reads', async (meta) => {
  const uri = 'files://fl_000000000000000000000001'
  const answer = await service.call(
    `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"${uri}","_meta":${meta}}}`,
  )
  expect(answer.text).toBe(
    `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"${uri}","mimeType":"text/plain","text":"mine"}]}}`,
  )
})

test.each([
  ['null', 'null'],
  ['7', 'number'],
  ['"x"', 'string'],
  ['[]', 'array'],
])('a list, which looks for its filter there, refuses a _meta of %s', async (meta, receivedType) => {
  const answer = await service.call(
    `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list","params":{"_meta":${meta}}}`,
  )
  expect(answer.body.error).toEqual({
    code: -32602,
    message: 'Invalid params: params._meta has the wrong type',
    data: { receivedType },
  })
})

test('reserved keys change no list, also beside a filter', async () => {
  for (const meta of [reserved, { ...reserved, filter: { tags: ['t'] } }]) {
    const frame = { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/list', params: { _meta: meta } }
    expect((await service.call(frame)).text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"files://fl_000000000000000000000001","name":"a.txt","mimeType":"text/plain","size":4}]}}',
    )
  }
})

test('other _meta keys are ignored as well', async () => {
  const frame = {
    jsonrpc: '2.0',
    id: 1,
    method: 'ai.nimblebrain/resources/list',
    params: { _meta: { progressToken: 7, 'x/y': 1 }, extra: 1 },
  }
  expect((await service.call(frame)).body.result.resources).toHaveLength(1)
})

test('a filter inside the filter is not a place for reserved keys', async () => {
  const answer = await service.list({ 'ai.nimblebrain/x': 1 })
  expect(answer.body.error.data.unknown).toEqual(['ai.nimblebrain/x'])
})
