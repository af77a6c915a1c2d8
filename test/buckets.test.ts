/**
 * The store of the token buckets in trouble, as a caller meets it (contract 6): throttled is a refusal, everything
 * else is an outage, and soon; never is a caller let through.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { answering, onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '50' })
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

function refusing(type: string, status = 400) {
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no' })
  return answering(status, body, 'application/x-amz-json-1.0')
}

const outage = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }

test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])(
  'DynamoDB that says %s refuses the caller for a second and a little',
  async (type) => {
    const { service, dynamo } = proxied
    const { fileId } = await service.put('x')
    dynamo.fault = onlyFor('UpdateItem', refusing(type))
    for (const { status, headers, body } of [await service.list(), await service.read(`files://${fileId}`)]) {
      expect(status).toBe(200)
      expect(body.error).toMatchObject({ code: -32004, message: 'Rate limited' })
      const { retryAfterMs } = body.error.data
      expect(retryAfterMs).toBeGreaterThanOrEqual(1_000)
      expect(retryAfterMs).toBeLessThan(1_250)
      expect(headers.get('retry-after')).toBe(retryAfterMs === 1_000 ? '1' : '2')
    }
    proxied.heal()
    expect((await service.list()).body.result).toBeDefined()
  },
)

describe('an outage', () => {
  test.each([
    ['a server fault', () => refusing('InternalServerError', 500)],
    ['no such table', () => refusing('ResourceNotFoundException')],
    ['no right to write', () => refusing('AccessDeniedException')],
    ['an answer that is no JSON', () => answering(200, '<html>', 'text/html')],
    ['an answer without a state', () => answering(200, '{}', 'application/x-amz-json-1.0')],
    ['a connection that breaks', () => (_req: unknown, res: { destroy(): void }) => void res.destroy()],
    ['no answer at all', () => () => {}],
  ])('by %s is one, and not a missing file or an open door', async (_, fault) => {
    const { service, dynamo } = proxied
    const { fileId } = await service.put('x')
    dynamo.fault = onlyFor('UpdateItem', fault())
    const beganMs = performance.now()
    for (const answer of [service.list(), service.read(`files://${fileId}`), service.read('https://x')]) {
      const { status, headers, body } = await answer
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toBe('1')
      expect(body).toEqual(outage)
    }
    expect(performance.now() - beganMs).toBeLessThan(10_000)
    proxied.heal()
    expect((await service.list()).body.result).toBeDefined()
  })
})

test('one broken connection is repaired without the caller knowing', async () => {
  const { service, dynamo } = proxied
  let broken = 0
  dynamo.fault = onlyFor('UpdateItem', (_req, res, pass) => {
    broken += 1
    if (broken === 1) res.destroy()
    else pass()
  })
  expect((await service.list()).body.result).toBeDefined()
  expect(broken).toBe(2)
})
