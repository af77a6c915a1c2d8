/**
 * The production bundle in Lambda's own runtime: function-URL events in, streamed answers out (contract 1, 3 and 9).
 */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ProxiedService, startProxiedService } from '../proxy.ts'
import { type StreamedAnswer, whole } from './answer.ts'
import { type UrlRequest, urlEvent } from './event.ts'
import { startLambdaFront } from './front.ts'

let cloud: ProxiedService
let front: Awaited<ReturnType<typeof startLambdaFront>>
let token: string
beforeAll(async () => {
  cloud = await startProxiedService({ IDLE_TIMEOUT_MS: '500' })
  front = await startLambdaFront(cloud.service.environment, { maxInstances: 1 })
  token = await cloud.service.token()
})
afterAll(async () => {
  await front.close()
  await cloud.close()
})
afterEach(() => cloud.heal())

async function invoke(request: UrlRequest): Promise<StreamedAnswer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...request.headers }
  return whole(await front.runtime.invoke(urlEvent({ ...request, headers })))
}

const read = (uri: string, id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'ai.nimblebrain/resources/read', params: { uri } })

const list = (filter: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'ai.nimblebrain/resources/list',
    params: { _meta: { filter } },
  })

const ok = { statusCode: 200, error: undefined, cookies: [] }

describe('an answer', () => {
  test('is streamed behind a prelude of status, headers that are texts, and cookies', async () => {
    const { fileId } = await cloud.service.put('Zürich 🏔', { name: 'a.txt' })
    const answer = await invoke({ body: read(`files://${fileId}`) })
    expect(answer).toMatchObject({
      ...ok,
      contentType: 'application/vnd.awslambda.http-integration-response',
      mode: 'streaming',
      headers: {
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
      },
    })
    expect(Object.keys(answer.headers)).not.toContain('content-length')
    expect(answer.body.toString('utf8')).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"files://${fileId}","mimeType":"text/plain","text":"Zürich 🏔"}]}}`,
    )
  })

  test('of exactly 10 MiB comes in whole, and of one byte more is -32005', async () => {
    const bytes = Buffer.alloc(10_485_760, 'pseudo-random ')
    const { fileId } = await cloud.service.put(bytes, { name: 'a.bin' })
    const { fileId: larger } = await cloud.service.put(Buffer.alloc(10_485_761), { name: 'b.bin' })
    const answer = await invoke({ body: read(`files://${fileId}`) })
    const blob = JSON.parse(answer.body.toString('latin1')).result.contents[0].blob
    const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('hex')
    expect(answer).toMatchObject(ok)
    expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'))
    const refused = await invoke({ body: read(`files://${larger}`) })
    expect(JSON.parse(refused.body.toString('utf8')).error).toEqual({
      code: -32005,
      message: 'Response too large',
      data: { uri: `files://${larger}`, size: 10_485_761, maxSize: 10_485_760 },
    })
  })

  test('of a file of zero bytes is an empty text', async () => {
    const { fileId } = await cloud.service.put('', { name: 'empty.txt' })
    const answer = await invoke({ body: read(`files://${fileId}`) })
    expect(answer).toMatchObject(ok)
    expect(JSON.parse(answer.body.toString('utf8')).result.contents[0].text).toBe('')
  })

  test.each<[string, UrlRequest, number]>([
    ['a notification', { body: '{"jsonrpc":"2.0","method":"x"}' }, 202],
    ['HEAD', { method: 'HEAD', target: '/healthz' }, 200],
    ['HEAD of what is not allowed', { method: 'HEAD' }, 405],
    ['HEAD of nothing', { method: 'HEAD', target: '/nowhere' }, 404],
  ])('without a body, to %s, has its prelude and ends (A03)', async (_, request, statusCode) => {
    const answer = await invoke(request)
    expect(answer).toMatchObject({ ...ok, statusCode })
    expect(answer.body.length).toBe(0)
  })

  test.each<[string, UrlRequest, number, Record<string, string>, string]>([
    ['GET /healthz', { method: 'GET', target: '/healthz' }, 200, {}, '{"status":"ok"}'],
    ['GET /readyz', { method: 'GET', target: '/readyz?x=1' }, 200, {}, '{"status":"ok"}'],
    ['OPTIONS', { method: 'OPTIONS' }, 405, { allow: 'POST' }, '{"error":"method_not_allowed"}'],
    ['TRACE', { method: 'TRACE' }, 405, { allow: 'POST' }, '{"error":"method_not_allowed"}'],
    ['another path', { target: '/%E6%9D%B1' }, 404, {}, '{"error":"not_found"}'],
    [
      'no credential',
      { headers: { authorization: '' } },
      401,
      { 'www-authenticate': 'Bearer error="invalid_token"' },
      '{"error":"invalid_token"}',
    ],
    [
      'another type',
      { headers: { 'content-type': 'text/plain' }, body: '{}' },
      415,
      {},
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Content-Type must be application/json"}}',
    ],
  ])('to %s keeps its status and its headers (A04)', async (_, request, statusCode, headers, body) => {
    const answer = await invoke(request)
    expect(answer).toMatchObject({ ...ok, statusCode, headers })
    expect(answer.body.toString('utf8')).toBe(body)
  })

  test.each<[string, string | undefined, number, number]>([
    ['no JSON', 'x', 400, -32700],
    ['no body', undefined, 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['more than 64 KiB', ' '.repeat(65_537), 413, -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"x"}', 200, -32601],
    ['another scheme', read('https://x'), 200, -32602],
    ['no such file', read('files://fl_0123456789abcdef01234567'), 200, -32002],
  ])('to %s is the error of the contract', async (_, body, statusCode, code) => {
    const answer = await invoke(body === undefined ? {} : { body })
    expect(answer).toMatchObject({ ...ok, statusCode })
    expect(JSON.parse(answer.body.toString('utf8')).error.code).toBe(code)
  })
})

test('a header outside ASCII does no harm, and is nobody’s credential or request id (A13)', async () => {
  const body = list({ tags: ['nobody has it'] })
  const answer = await invoke({ body, headers: { 'x-city': '東京', 'x-request-id': '東京' } })
  expect(answer).toMatchObject(ok)
  expect(answer.body.toString('utf8')).toBe('{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}')
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect((await invoke({ body, headers: { authorization: 'Bearer 東京' } })).statusCode).toBe(401)
  expect((await invoke({ body, headers: { 'content-type': '東京' } })).statusCode).toBe(415)
})

describe('a body in base64', () => {
  test('is decoded once, as UTF-8 (A10)', async () => {
    const { fileId } = await cloud.service.put('x', { tags: ['größe-東京'] })
    const body = list({ tags: ['größe-東京'] })
    const plain = await invoke({ body })
    const encoded = await invoke({
      body: Buffer.from(body),
      headers: { 'content-type': 'application/vnd.api+json' },
    })
    expect(JSON.parse(plain.body.toString('utf8')).result.resources).toMatchObject([
      { uri: `files://${fileId}` },
    ])
    expect(encoded.body.equals(plain.body)).toBe(true)
  })

  test('that is none is a parse error', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const event = { ...urlEvent({ headers, body: '§§§' }), isBase64Encoded: true }
    const answer = await whole(await front.runtime.invoke(event))
    expect(answer.statusCode).toBe(400)
    expect(JSON.parse(answer.body.toString('utf8')).error.code).toBe(-32700)
  })
})

describe('when something breaks, the instance goes on, and', () => {
  afterEach(async () => {
    expect((await invoke({ method: 'GET', target: '/healthz' })).statusCode).toBe(200)
    expect(front.runtime.exited).toBe(0)
  })

  test('storage that does not answer is 503 before the first byte', async () => {
    const { fileId } = await cloud.service.put('x')
    cloud.s3.fault = (_, res) => res.destroy()
    const answer = await invoke({ body: read(`files://${fileId}`) })
    expect(answer).toMatchObject({ ...ok, statusCode: 503, headers: { 'retry-after': '1' } })
    expect(answer.body.toString('utf8')).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
    )
  })

  test('storage that dies in the middle ends the answer with an error of the runtime, and never as JSON (A15)', async () => {
    const { fileId } = await cloud.service.put(Buffer.alloc(4_000_000, 7), { name: 'a.bin' })
    cloud.s3.fault = (_, res) => {
      res.writeHead(200, { 'content-length': '4000000' })
      res.write(Buffer.alloc(1_000_000, 7), () => setTimeout(() => res.destroy(), 50))
    }
    const answer = await invoke({ body: read(`files://${fileId}`) })
    expect(answer.statusCode).toBe(200)
    expect(answer.error).toMatchObject({ errorType: 'ResolverError', errorMessage: 'Internal error' })
    expect(() => JSON.parse(answer.body.toString('latin1'))).toThrow(SyntaxError)
  })

  test('a reader who takes nothing for too long gets an answer that ends with an error, and never as JSON', async () => {
    const { fileId } = await cloud.service.put(Buffer.alloc(10_485_760), { name: 'a.txt' }) // 60 MiB of \\u0000: more than sockets hold
    const headers = { authorization: `Bearer ${token}` }
    const posted = await front.runtime.invoke(urlEvent({ headers, body: read(`files://${fileId}`) }))
    const reason = 'The reader took nothing for too long'
    await vi.waitFor(() => expect(front.runtime.lines.join('\n')).toContain(reason), 10_000)
    const answer = await whole(posted)
    expect(answer.error).toMatchObject({ errorMessage: reason })
    expect(() => JSON.parse(answer.body.toString('latin1'))).toThrow(SyntaxError)
  })

  test('an event that is no request to a function URL fails and says so', async () => {
    const { kind, request } = await front.runtime.invoke({ Records: [] })
    for await (const _ of request);
    expect(kind).toBe('response')
    const type = request.trailers['lambda-runtime-function-error-body']
    expect(Buffer.from(type ?? '', 'base64').toString('utf8')).toContain('no event of a function URL')
  })
})
