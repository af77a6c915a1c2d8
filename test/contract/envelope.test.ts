/**
 * Contract 1, the table of cases: what is wrong with a body, a content type or an envelope, and what it is answered.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const parseError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'

test.each([
  ['nothing', ''],
  ['blanks', ' \n\t '],
  ['a word', 'hello'],
  ['half a request', '{"jsonrpc":"2.0","id":1,"method":'],
  ['something after the request', '{"jsonrpc":"2.0","id":1,"method":"x"} x'],
  [
    'two requests on two lines',
    '{"jsonrpc":"2.0","id":1,"method":"x"}\n{"jsonrpc":"2.0","id":2,"method":"x"}',
  ],
  ['single quotes', "{'jsonrpc':'2.0'}"],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"x",}'],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"x"}'],
  ['a raw line break in a string', '{"jsonrpc":"2.0","id":"a\nb","method":"x"}'],
])('a body that is not JSON, %s, is 400 and -32700 with id null', async (_, body) => {
  const answer = await service.call(body)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.text).toBe(parseError)
})

test('a body that is not UTF-8 is 400 and -32700', async () => {
  const body = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('","method":"x"}'),
  ])
  const answer = await service.call('', {}, { body })
  expect(answer.status).toBe(400)
  expect(answer.text).toBe(parseError)
})

const list = 'ai.nimblebrain/resources/list'

test.each([
  ['a batch', `[{"jsonrpc":"2.0","id":1,"method":"${list}"}]`, null],
  ['an empty batch', '[]', null],
  ['a string', '"x"', null],
  ['a number', '7', null],
  ['null', 'null', null],
  ['true', 'true', null],
  ['an empty object', '{}', null],
  ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}', 1],
  ['an error', '{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}', 'a'],
  ['no jsonrpc', `{"id":1,"method":"${list}"}`, 1],
  ['jsonrpc 1.0', `{"jsonrpc":"1.0","id":1,"method":"${list}"}`, 1],
  ['jsonrpc as a number', `{"jsonrpc":2.0,"id":1,"method":"${list}"}`, 1],
  ['an id of null', `{"jsonrpc":"2.0","id":null,"method":"${list}"}`, null],
  ['an id of true', `{"jsonrpc":"2.0","id":true,"method":"${list}"}`, null],
  ['an id that is an object', `{"jsonrpc":"2.0","id":{},"method":"${list}"}`, null],
  ['an id that is an array', `{"jsonrpc":"2.0","id":[1],"method":"${list}"}`, null],
  ['an id beyond all numbers', `{"jsonrpc":"2.0","id":1e999,"method":"${list}"}`, null],
  ['an id beyond 2^53', `{"jsonrpc":"2.0","id":9007199254740993,"method":"${list}"}`, null],
  [
    'an id of 2^53, which 2^53 + 1 is read as',
    `{"jsonrpc":"2.0","id":9007199254740992,"method":"${list}"}`,
    null,
  ],
  ['an id below -2^53', `{"jsonrpc":"2.0","id":-9007199254740993,"method":"${list}"}`, null],
  ['an id of 64 bits', `{"jsonrpc":"2.0","id":18446744073709551615,"method":"${list}"}`, null],
  ['an id of 1e400', `{"jsonrpc":"2.0","id":1e400,"method":"${list}"}`, null],
  ['a huge id without a method', '{"jsonrpc":"2.0","id":1e300}', null],
  ['no method', '{"jsonrpc":"2.0","id":5}', 5],
  ['a method that is a number', '{"jsonrpc":"2.0","id":5,"method":5}', 5],
  ['a method that is null', '{"jsonrpc":"2.0","id":"x","method":null}', 'x'],
])('%s is 400 and -32600 with the id if it is readable', async (_, body, id) => {
  const answer = await service.call(body)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id,
    error: { code: -32600, message: expect.stringMatching(/^Invalid Request/) },
  })
})

test('an id that would come back changed is refused with what it may be', async () => {
  const answer = await service.call(`{"jsonrpc":"2.0","id":9007199254740993,"method":"${list}"}`)
  expect(answer.status).toBe(400)
  expect(answer.text).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: an id must be a string, or a number from -(2^53 - 1) to 2^53 - 1"}}',
  )
})

test.each([
  ['7', 7],
  ['0', 0],
  ['1.0', 1],
  ['1e3', 1_000],
  ['-9007199254740991', -9007199254740991],
  ['-3', -3],
  ['1.5', 1.5],
  ['9007199254740991', 9007199254740991],
  ['""', ''],
  ['"a\\u0000\\"é"', 'a\u0000"é'],
])('the id %s is echoed with its type', async (json, id) => {
  const answer = await service.call(`{"jsonrpc":"2.0","id":${json},"method":"${list}"}`)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ jsonrpc: '2.0', id, result: { resources: [] } })
})

test.each([list, 'ai.nimblebrain/resources/read', 'notifications/cancelled', 'x'])(
  'a notification of %s is 202 with an empty body',
  async (method) => {
    const answer = await service.call({ jsonrpc: '2.0', method, params: { uri: 'files://' } })
    expect(answer.status).toBe(202)
    expect(answer.text).toBe('')
  },
)

test('a notification is 202 whatever read limit it asks for', async () => {
  const answer = await service.call(
    { jsonrpc: '2.0', method: 'x' },
    {},
    { headers: { 'max-read-bytes': 'no' } },
  )
  expect(answer.status).toBe(202)
})

/** A request of exactly so many bytes. */
function padded(bytes: number): string {
  const frame = `{"jsonrpc":"2.0","id":1,"method":"${list}","params":{"pad":""}}`
  return frame.replace('"pad":""', `"pad":"${'x'.repeat(bytes - frame.length)}"`)
}

test('a body of 65,536 bytes is served and one byte more is 413 and -32600', async () => {
  expect((await service.call(padded(65_536))).status).toBe(200)
  const answer = await service.call(padded(65_537))
  expect(answer.status).toBe(413)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
})

test.each([
  'text/plain',
  'text/json',
  'application/xml',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'json',
  '*/*',
  'application/json, text/plain',
])('the content type %s is 415 and -32600', async (type) => {
  const answer = await service.call(
    { jsonrpc: '2.0', id: 1, method: list },
    {},
    { headers: { 'content-type': type } },
  )
  expect(answer.status).toBe(415)
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
})

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset=UTF-8',
  'application/json ; x=y',
  'application/vnd.api+json',
])('the content type %s is JSON', async (type) => {
  const answer = await service.call(
    { jsonrpc: '2.0', id: 1, method: list },
    {},
    { headers: { 'content-type': type } },
  )
  expect(answer.status).toBe(200)
})

test.each([
  'resources/read',
  'ai.nimblebrain/resources/write',
  'AI.nimblebrain/resources/read',
  'ai.nimblebrain/resources/read ',
  '__proto__',
  'constructor',
  '',
])('the unknown method "%s" is 200 and -32601 with the id (D17)', async (method) => {
  const answer = await service.call({ jsonrpc: '2.0', id: 'm', method, params: {} })
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('{"jsonrpc":"2.0","id":"m","error":{"code":-32601,"message":"Method not found"}}')
})
