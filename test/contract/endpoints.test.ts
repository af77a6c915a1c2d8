/**
 * Contract 1, the table of endpoints: what is served where, to whom, and what every other path and method gets.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

async function get(path: string, method = 'GET') {
  const response = await fetch(service.url + path, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('GET /capability answers, without a credential, the object of the seed page', async () => {
  const answer = await get('/capability')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.text).toBe(
    '{"read":{"enabled":true,"range":false,"maxSize":10485760},"list":{"enabled":true},"write":{"enabled":false},"schemes":["files"]}',
  )
})

test('GET /healthz answers 200 without a credential', async () => {
  const answer = await get('/healthz')
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('{"status":"ok"}')
})

test('GET /readyz answers 200 while bucket and tables answer', async () => {
  const answer = await get('/readyz')
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('{"status":"ok"}')
})

test('GET /openapi.json answers OpenAPI 3.1 of all five endpoints', async () => {
  const answer = await get('/openapi.json')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  const document = JSON.parse(answer.text)
  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths)).toEqual(['/rpc', '/capability', '/healthz', '/readyz', '/openapi.json'])
})

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  '%s /rpc is 405 and allows POST',
  async (method) => {
    const answer = await get('/rpc', method)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  },
)

test.each(['/capability', '/healthz', '/readyz', '/openapi.json'])(
  'POST, PUT, DELETE and OPTIONS %s are 405 and allow GET',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await get(path, method)
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toBe('GET, HEAD')
    }
  },
)

test.each(['/capability', '/healthz', '/readyz', '/openapi.json'])(
  'HEAD %s is answered as GET without a body',
  async (path) => {
    const answer = await get(path, 'HEAD')
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
  },
)

test.each(['/', '/rpc/', '/rpc/x', '/RPC', '//rpc', '/healthz/', '/.well-known/x', '/%E6%9D%B1'])(
  '%s is 404',
  async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await get(path, method)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('application/json')
    }
  },
)

test('no answer may be cached', async () => {
  for (const path of ['/capability', '/healthz', '/readyz', '/openapi.json', '/rpc', '/nowhere']) {
    expect((await get(path)).headers.get('cache-control')).toBe('no-store')
  }
})

test('GET /capability names the limit that is configured', async () => {
  const small = await startService({ MAX_READ_BYTES: '4096' })
  const response = await fetch(`${small.url}/capability`)
  expect(await response.json()).toMatchObject({ read: { maxSize: 4096 } })
  await small.close()
})
