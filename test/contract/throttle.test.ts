/**
 * Contract 6 on the wire: what takes a token, and what an empty bucket answers. The arithmetic has tests of its own.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' })
})
afterAll(() => service.close())

const list = { jsonrpc: '2.0', id: 9, method: 'ai.nimblebrain/resources/list' }
const read = (uri: unknown) => ({ ...list, method: 'ai.nimblebrain/resources/read', params: { uri } })

/** Sends until refused; the refusal, and how many came through. A token a second does not spoil a burst of three. */
async function drain(server: string, frame: unknown, init: RequestInit = {}) {
  for (let admitted = 0; ; admitted += 1) {
    const answer = await service.call(frame, { server }, init)
    if (answer.body?.error?.code === -32004) return { admitted, answer }
    if (admitted === 20) return { admitted, answer }
  }
}

test('an empty bucket answers -32004 with retryAfterMs, and Retry-After in seconds', async () => {
  const { admitted, answer } = await drain('refused', list)
  expect(admitted).toBeLessThan(20)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: 9,
    error: { code: -32004, message: 'Rate limited', data: { retryAfterMs: expect.any(Number) } },
  })
  const { retryAfterMs } = answer.body.error.data
  expect(Number.isInteger(retryAfterMs)).toBe(true)
  expect(retryAfterMs).toBeGreaterThanOrEqual(1)
  expect(retryAfterMs).toBeLessThanOrEqual(1_000)
})

test.each([
  ['a read of a missing file', read('files://fl_0123456789abcdef01234567'), {}],
  ['a read of another scheme', read('https://x'), {}],
  ['a read without a uri', read(undefined), {}],
  ['a list with a wrong filter', { ...list, params: { _meta: { filter: 5 } } }, {}],
  ['a list with a cursor', { ...list, params: { cursor: 'x' } }, {}],
  ['an unknown method', { ...list, method: 'x' }, {}],
  ['a wrong Max-Read-Bytes', list, { headers: { 'max-read-bytes': 'x' } }],
])('%s takes a token (F11)', async (name, frame, init) => {
  const { admitted } = await drain(name.replaceAll(' ', '-'), frame, init)
  expect(admitted).toBeGreaterThanOrEqual(3)
  expect(admitted).toBeLessThan(20)
})

test.each([
  ['a notification', { jsonrpc: '2.0', method: 'x' }, 202],
  ['a batch', [list], 400],
  ['no JSON', 'x', 400],
])('%s takes none', async (_, frame, status) => {
  for (let i = 0; i < 8; i += 1) {
    expect((await service.call(frame, { server: `free-${status}` })).status).toBe(status)
  }
})

test('a request without a good credential takes none (F11)', async () => {
  const authorization = `Bearer ${(await service.token({ server: 'guarded' })).slice(0, -4)}AAAA`
  for (let i = 0; i < 8; i += 1) {
    expect((await service.call(list, { server: 'guarded' }, { headers: { authorization } })).status).toBe(401)
  }
  expect((await service.call(list, { server: 'guarded' })).body.result).toEqual({ resources: [] })
})

test('each server in each workspace has its own bucket, whoever the user is', async () => {
  await drain('own', list)
  expect((await service.call(list, { server: 'own', user: 'bob' })).body.error.code).toBe(-32004)
  expect((await service.call(list, { server: 'own2' })).body.result).toBeDefined()
  expect((await service.call(list, { server: 'own', workspace: 'other' })).body.result).toBeDefined()
  expect((await service.call(list, { server: 'own#', workspace: 'acme' })).body.result).toBeDefined()
})

test('a refused caller learns nothing but the refusal', async () => {
  const { fileId } = await service.put('x')
  await drain('quiet', list)
  for (const uri of [`files://${fileId}`, 'files://fl_0123456789abcdef01234567', 'https://x', 5]) {
    const answer = await service.call(read(uri), { server: 'quiet' })
    if (answer.body.error?.code === -32004) {
      expect(Object.keys(answer.body.error.data)).toEqual(['retryAfterMs'])
    }
  }
})
