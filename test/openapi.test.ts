/**
 * The OpenAPI description against the service itself: what it answers is what the description says, status by status.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Answer } from './harness.ts'
import { answering, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, asserted on literally
let document: any
let validates: (schema: object, value: unknown) => unknown
beforeAll(async () => {
  proxied = await startProxiedService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '50' })
  document = await (await fetch(`${proxied.service.url}/openapi.json`)).json()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...document, $id: 'http://openapi.test/' })
  validates = (schema, value) => {
    const located = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"http://openapi.test/#/'))
    return ajv.validate(located, value) || ajv.errorsText()
  }
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

const readMethod = 'ai.nimblebrain/resources/read'
const listMethod = 'ai.nimblebrain/resources/list'
const rpc = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })

/** The schema that the description gives for an answer of `POST /rpc`. */
function schemaOf(status: number) {
  return document.paths['/rpc'].post.responses[status]?.content?.['application/json'].schema
}

function expectDescribed(answer: Answer) {
  const schema = schemaOf(answer.status)
  expect(schema).toBeDefined()
  expect(validates(schema, answer.body)).toBe(true)
}

test('every local reference leads somewhere', () => {
  const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? []
  expect(references.length).toBeGreaterThan(5)
  for (const reference of references) {
    const steps = reference.slice(3, -1).split('/')
    expect(steps.reduce((at, step) => at?.[step], document)).toBeDefined()
  }
})

test('results are as described', async () => {
  const { service } = proxied
  const text = await service.put('a', { name: 'a.txt', tags: ['t'] })
  const blob = await service.put(Uint8Array.of(255), { name: 'a.png' })
  expectDescribed(await service.read(`files://${text.fileId}`))
  expectDescribed(await service.read(`files://${blob.fileId}`))
  expectDescribed(await service.list())
  expectDescribed(await service.list({ tags: ['none'] }))
  expectDescribed(await service.call({ ...rpc(listMethod), id: 'text' }))
})

test('errors of calls are as described', async () => {
  const { service } = proxied
  const { fileId } = await service.put('12345')
  expectDescribed(await service.read('files://fl_0123456789abcdef01234567'))
  expectDescribed(await service.read('https://x'))
  expectDescribed(await service.read(`files://${fileId}`, {}, { 'max-read-bytes': '1' }))
  expectDescribed(await service.list({ unknown: 1 }))
  expectDescribed(await service.call(rpc(listMethod, { cursor: null })))
  expectDescribed(await service.call(rpc('x')))
})

test('a refusal is as described', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => proxied.service.list({}, { server: 'drained' })),
  )
  const refused = answers.filter(({ body }) => body.error?.code === -32004)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) expectDescribed(answer)
})

test.each([
  [400, '{', {}],
  [400, '[]', {}],
  [400, JSON.stringify(rpc('x')), { 'max-read-bytes': 'x' }],
  [401, '{}', { authorization: 'Bearer x' }],
  [413, ' '.repeat(70_000), {}],
  [415, '{}', { 'content-type': 'text/plain' }],
])('an answer of %d is as described', async (status, body, headers) => {
  const answer = await proxied.service.call(body, {}, { headers })
  expect(answer.status).toBe(status)
  expectDescribed(answer)
})

test('an outage is as described', async () => {
  proxied.dynamo.fault = answering(400, '{"__type":"AccessDeniedException"}', 'application/x-amz-json-1.0')
  const answer = await proxied.service.list({}, { server: 'other' })
  expect(answer.status).toBe(503)
  expectDescribed(answer)
})

test('202 is described without a body', () => {
  expect(Object.keys(document.paths['/rpc'].post.responses)).toEqual([
    '200',
    '202',
    '400',
    '401',
    '413',
    '415',
    '500',
    '503',
  ])
  expect(document.paths['/rpc'].post.responses['202'].content).toBeUndefined()
})

test('the requests of the seed page are as described, and others are not', () => {
  const { schema } = document.paths['/rpc'].post.requestBody.content['application/json']
  for (const request of [
    rpc(readMethod, { uri: 'files://fl_abc123' }),
    rpc(listMethod, { _meta: { filter: { mimeType: 'application/pdf', tags: ['contracts'] } } }),
    { jsonrpc: '2.0', id: 'x', method: listMethod },
    rpc(listMethod, { _meta: { 'ai.nimblebrain/source': 'x', filter: { scheme: 'files' } } }),
  ]) {
    expect(validates(schema, JSON.parse(JSON.stringify(request)))).toBe(true)
  }
  for (const request of [
    rpc(readMethod, {}),
    rpc(readMethod, { uri: 5 }),
    rpc(readMethod, { uri: 'x'.repeat(2_049) }),
    rpc(listMethod, { _meta: { filter: { tags: 'x' } } }),
    rpc(listMethod, { _meta: { filter: { scheme: 'https' } } }),
    rpc(listMethod, { _meta: { filter: { name: 'x' } } }),
    rpc('x', {}),
    { ...rpc(listMethod), jsonrpc: '1.0' },
    { ...rpc(listMethod), id: null },
  ]) {
    expect(validates(schema, JSON.parse(JSON.stringify(request)))).not.toBe(true)
  }
})

test('the other endpoints answer as described', async () => {
  for (const path of ['/capability', '/healthz', '/readyz']) {
    const response = await fetch(proxied.service.url + path)
    const { schema } = document.paths[path].get.responses[response.status].content['application/json']
    expect(validates(schema, await response.json())).toBe(true)
  }
})
