/**
 * Contract 4: what a filter may say, what it matches, and what a listing looks like.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renameFile } from '../../lib/change.ts'
import { type Service, startService, type Who } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const listMethod = 'ai.nimblebrain/resources/list'

function call(params: string) {
  return service.call(`{"jsonrpc":"2.0","id":"l","method":"${listMethod}"${params}}`)
}

/** Names of what is listed, in order. */
async function names(filter: unknown, who: Who): Promise<string[]> {
  const answer = await service.list(filter, who)
  expect(answer.status).toBe(200)
  return answer.body.result.resources.map((resource: { name: string }) => resource.name)
}

test.each(['', ',"params":{}', ',"params":{"_meta":{}}', ',"params":{"_meta":{"filter":{}}}'])(
  'a list with %j lists everything',
  async (params) => {
    const answer = await call(params)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.text).toBe('{"jsonrpc":"2.0","id":"l","result":{"resources":[]}}')
  },
)

test.each(['""', '"x"', 'null', '0', 'false', '{}', '[]', '{"a":[1,null]}'])(
  'a cursor of %s is -32602 with the cursor',
  async (cursor) => {
    const answer = await call(`,"params":{"cursor":${cursor},"_meta":{"filter":{"tags":5}}}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      jsonrpc: '2.0',
      id: 'l',
      error: {
        code: -32602,
        message: expect.stringMatching(/^Invalid params/),
        data: { cursor: JSON.parse(cursor) },
      },
    })
  },
)

test.each([
  ['null', 'null'],
  ['[]', 'array'],
  ['["x"]', 'array'],
  ['"x"', 'string'],
  ['5', 'number'],
  ['true', 'boolean'],
])('a filter of %s is -32602 with receivedType %s', async (filter, receivedType) => {
  const answer = await call(`,"params":{"_meta":{"filter":${filter}}}`)
  expect(answer.status).toBe(200)
  expect(answer.body.error).toEqual({
    code: -32602,
    message: expect.stringMatching(/^Invalid params/),
    data: { receivedType },
  })
})

test.each([
  ['{"name":"x"}', ['name']],
  ['{"Tags":["x"]}', ['Tags']],
  ['{"tags":["x"],"mimetype":"text/csv","owner":"ana"}', ['mimetype', 'owner']],
  ['{"tags":5,"x":1}', ['x']],
  ['{"__proto__":{"tags":["x"]}}', ['__proto__']],
  ['{"constructor":1,"toString":2}', ['constructor', 'toString']],
  ['{"":1}', ['']],
])('the unknown members of %s are -32602 with what is supported', async (filter, unknown) => {
  const answer = await call(`,"params":{"_meta":{"filter":${filter}}}`)
  expect(answer.body.error).toEqual({
    code: -32602,
    message: expect.stringMatching(/^Invalid params/),
    data: { unknown, supported: ['scheme', 'mimeType', 'tags'] },
  })
})

test.each(['"https"', '"FILES"', '"files://"', '""', '" files"', 'null', '5', '["files"]'])(
  'a scheme of %s is -32602 with what is supported',
  async (scheme) => {
    const answer = await call(`,"params":{"_meta":{"filter":{"scheme":${scheme}}}}`)
    expect(answer.body.error).toEqual({
      code: -32602,
      message: expect.stringMatching(/^Invalid params/),
      data: { scheme: JSON.parse(scheme), supported: ['files'] },
    })
  },
)

test.each([
  ['null', 'null'],
  ['"x"', 'string'],
  ['5', 'number'],
  ['{"0":"x"}', 'object'],
  ['true', 'boolean'],
  ['[5]', 'number'],
  ['["x",null]', 'null'],
  ['["x",["y"],5]', 'array'],
  ['[{}]', 'object'],
])('tags of %s are -32602 with receivedType %s', async (tags, receivedType) => {
  const answer = await call(`,"params":{"_meta":{"filter":{"tags":${tags}}}}`)
  expect(answer.body.error).toEqual({
    code: -32602,
    message: expect.stringMatching(/^Invalid params/),
    data: { receivedType },
  })
})

test.each([
  ['null', 'null'],
  ['5', 'number'],
  ['["text/csv"]', 'array'],
])('a mimeType of %s is -32602 with receivedType %s', async (mimeType, receivedType) => {
  const answer = await call(`,"params":{"_meta":{"filter":{"mimeType":${mimeType}}}}`)
  expect(answer.body.error).toMatchObject({ code: -32602, data: { receivedType } })
})

test('64 distinct tags are allowed and 65 are -32602', async () => {
  const tags = Array.from({ length: 65 }, (_, i) => `t${i}`)
  expect((await service.list({ tags })).body.error.code).toBe(-32602)
  expect((await service.list({ tags: tags.slice(1) })).body.result).toEqual({ resources: [] })
  const doubled = [...tags.slice(1), ...tags.slice(1), ...tags.slice(1)]
  expect((await service.list({ tags: doubled })).body.result).toEqual({ resources: [] })
})

test('a resource has exactly uri, name, mimeType and size', async () => {
  await service.put('a,b\n', {
    fileId: 'fl_00000000000000000000aaaa',
    workspaceId: 'shape',
    name: 'ünï "1".csv',
    tags: ['t'],
    shared: true,
  })
  const answer = await service.list(undefined, { workspace: 'shape' })
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"files://fl_00000000000000000000aaaa","name":"ünï \\"1\\".csv","mimeType":"text/csv","size":4}]}}',
  )
})

test('a listing is ordered by creation time, then id, across private and shared files, without doubles', async () => {
  const workspaceId = 'order'
  const put = (name: string, createdAtMs: number, input: object) =>
    service.put('x', { workspaceId, name, createdAtMs, ...input })
  await put('5', 2_000, { fileId: 'fl_000000000000000000000002', shared: true })
  await put('1', 1_000, { fileId: 'fl_ffffffffffffffffffffffff' })
  await put('4', 2_000, { fileId: 'fl_000000000000000000000001' })
  await put('2', 1_500, { ownerId: 'bob', shared: true, readers: ['ana'] })
  await put('3', 1_999, { ownerId: 'bob', readers: ['ana', 'cem'] })
  await put('6', 1_700_000_000_000, { shared: true })
  await put('hidden', 1_600, { ownerId: 'bob' })
  const answer = await service.list({}, { workspace: workspaceId })
  expect(Object.keys(answer.body.result)).toEqual(['resources'])
  expect(await names({}, { workspace: workspaceId })).toEqual(['1', '2', '3', '4', '5', '6'])
  expect(await names({}, { workspace: workspaceId, user: 'bob' })).toEqual(['2', 'hidden', '3', '5', '6'])
  expect(await names({}, { workspace: workspaceId, user: 'cem' })).toEqual(['2', '3', '5', '6'])
})

test('a file is listed under its present name', async () => {
  const { fileId } = await service.put('x', { workspaceId: 'names', name: 'before.txt' })
  await renameFile(service.stores, { workspaceId: 'names', fileId }, 'after.txt')
  expect(await names({}, { workspace: 'names' })).toEqual(['after.txt'])
})

test('the filter by type compares normalised types, with or without parameters', async () => {
  const workspaceId = 'types'
  const put = (name: string, type: string) => service.put('x', { workspaceId, name, type })
  await put('1', 'text/csv')
  await put('2', 'TEXT/CSV; header=present')
  await put('3', 'text/csv;header=absent')
  await put('4', 'text/csv; charset=utf-8')
  await put('5', 'text/csv-schema')
  await put('6', 'application/octet-stream')
  const filtered = (mimeType: string) => names({ mimeType }, { workspace: workspaceId })
  for (const type of ['text/csv', 'Text/CSV', ' text/csv ', 'text/csv;', 'text/csv; charset=UTF-8']) {
    expect(await filtered(type)).toEqual(['1', '2', '3', '4'])
  }
  expect(await filtered('text/csv;header=present')).toEqual(['2'])
  expect(await filtered('TEXT/csv; HEADER=present')).toEqual(['2'])
  expect(await filtered('text/csv; charset=utf-8; header=present')).toEqual(['2'])
  expect(await filtered('text/csv; charset=bogus')).toEqual([])
  expect(await filtered('text/csv; header=Present')).toEqual([])
  expect(await filtered('text/csv; header=absent; x=y')).toEqual([])
  expect(await filtered('application/octet-stream')).toEqual(['6'])
  for (const type of [
    '',
    ' ',
    'text',
    'text/',
    'text/*',
    '*/*',
    'text/cs',
    'csv',
    `text/${'x'.repeat(300)}`,
  ]) {
    expect(await filtered(type)).toEqual([])
  }
})

test('the filter by type matches what the file was found to be, not what it declared (D02)', async () => {
  await service.put('x', { workspaceId: 'found', name: 'notes.md', type: 'binary/octet-stream' })
  expect(await names({ mimeType: 'text/markdown' }, { workspace: 'found' })).toEqual(['notes.md'])
  expect(await names({ mimeType: 'binary/octet-stream' }, { workspace: 'found' })).toEqual([])
})

test('the type that a list and a read show finds the file, also of a text that came out as a blob', async () => {
  const workspaceId = 'shown'
  const put = (name: string, bytes: Uint8Array, type: string) =>
    service.put(bytes, { workspaceId, name, type })
  await put('text', Buffer.from('x'), 'text/csv; charset=utf-8; header=present')
  const { fileId } = await put('blob', Buffer.from([0xff]), 'text/csv; charset=utf-8; header=present')
  const { body } = await service.read(`files://${fileId}`, { workspace: workspaceId })
  const shown = 'text/csv; charset=utf-8; header=present'
  expect(body.result.contents).toEqual([{ uri: `files://${fileId}`, mimeType: shown, blob: '/w==' }])
  expect(await names({ mimeType: shown }, { workspace: workspaceId })).toEqual(['text', 'blob'])
  expect(await names({ mimeType: 'text/csv; header=present' }, { workspace: workspaceId })).toEqual(['text'])
  expect(
    await names({ mimeType: 'text/csv; charset=latin1; header=present' }, { workspace: workspaceId }),
  ).toEqual(['text'])
})

test('a file must carry every listed tag, exactly', async () => {
  const workspaceId = 'tags'
  const put = (name: string, tags: string[], input = {}) =>
    service.put('x', { workspaceId, name, tags, ...input })
  await put('1', ['a', 'b', 'c'])
  await put('2', ['a', 'b'], { shared: true })
  await put('3', ['a'])
  await put('4', ['A', 'ab', 'a ', 'a#b', 'a%23b'])
  await put('5', [])
  const tagged = (...tags: string[]) => names({ tags }, { workspace: workspaceId })
  expect(await tagged()).toEqual(['1', '2', '3', '4', '5'])
  expect(await tagged('a')).toEqual(['1', '2', '3'])
  expect(await tagged('a', 'b')).toEqual(['1', '2'])
  expect(await tagged('c', 'b', 'a')).toEqual(['1'])
  expect(await tagged('a', 'a', 'a')).toEqual(['1', '2', '3'])
  expect(await tagged('A')).toEqual(['4'])
  expect(await tagged('a ')).toEqual(['4'])
  expect(await tagged('a#b')).toEqual(['4'])
  expect(await tagged('a', 'A')).toEqual([])
  expect(await tagged('B')).toEqual([])
})

test('tags compare after NFC (C14)', async () => {
  const workspaceId = 'nfc'
  await service.put('x', { workspaceId, name: 'composed', tags: ['caf\u00e9'] })
  await service.put('x', { workspaceId, name: 'decomposed', tags: ['cafe\u0301'] })
  await service.put('x', { workspaceId, name: 'plain', tags: ['cafe', '\ufb01', '①'] })
  const tagged = (tag: string) => names({ tags: [tag] }, { workspace: workspaceId })
  expect(await tagged('caf\u00e9')).toEqual(['composed', 'decomposed'])
  expect(await tagged('cafe\u0301')).toEqual(['composed', 'decomposed'])
  expect(await tagged('cafe')).toEqual(['plain'])
  expect(await tagged('fi')).toEqual([])
  expect(await tagged('\ufb01')).toEqual(['plain'])
  expect(await tagged('1')).toEqual([])
})

test('two spellings of one tag count as one of the 64', async () => {
  const tags = Array.from({ length: 63 }, (_, i) => `t${i}`)
  expect((await service.list({ tags: [...tags, '\u00e9', 'e\u0301'] })).body.error).toBeUndefined()
})

test.each(['', 'x'.repeat(257), 'é'.repeat(129), '\ud800', 'a\udc00', '\u0000none', 'x'.repeat(20_000)])(
  'a tag that no file carries matches nothing',
  async (tag) => {
    await service.put('x', { workspaceId: 'impossible', tags: ['t'] })
    expect(await names({ tags: [tag] }, { workspace: 'impossible' })).toEqual([])
    expect(await names({ tags: ['t', tag] }, { workspace: 'impossible' })).toEqual([])
  },
)

test('a tag of 256 bytes is found', async () => {
  for (const tag of ['x'.repeat(256), 'é'.repeat(128)]) {
    await service.put('x', { workspaceId: 'longest', name: tag.slice(0, 1), tags: [tag] })
    expect(await names({ tags: [tag] }, { workspace: 'longest' })).toEqual([tag.slice(0, 1)])
  }
})

test('filters combine with AND', async () => {
  const workspaceId = 'and'
  await service.put('x', { workspaceId, name: 'a.csv', tags: ['q1'] })
  await service.put('x', { workspaceId, name: 'b.csv', tags: ['q2'] })
  await service.put('x', { workspaceId, name: 'c.pdf', tags: ['q1'] })
  const filtered = (filter: object) => names(filter, { workspace: workspaceId })
  expect(await filtered({ scheme: 'files', mimeType: 'text/csv', tags: ['q1'] })).toEqual(['a.csv'])
  expect(await filtered({ scheme: 'files' })).toEqual(['a.csv', 'b.csv', 'c.pdf'])
  expect(await filtered({ mimeType: 'text/csv', tags: [] })).toEqual(['a.csv', 'b.csv'])
  expect(await filtered({ mimeType: 'image/png', tags: ['q1'] })).toEqual([])
})

test('the last of two members with one name counts, as in any JSON reader', async () => {
  await service.put('x', { workspaceId: 'twice', name: 'a', tags: ['q'] })
  const frame = `{"jsonrpc":"2.0","id":1,"method":"${listMethod}","params":{"_meta":{"filter":{"tags":5,"tags":["z"]}}}}`
  const answer = await service.call(frame, { workspace: 'twice' })
  expect(answer.body.result).toEqual({ resources: [] })
})
