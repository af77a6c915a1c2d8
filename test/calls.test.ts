/**
 * What one request costs: storage calls, counted where they go through, and steps, proved by holding calls until those
 * that must be under way with them have come.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Fault, onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
const serve = (overrides: Record<string, string> = {}) => {
  beforeAll(async () => {
    proxied = await startProxiedService(overrides)
  })
  afterEach(() => proxied.heal())
  afterAll(() => proxied.close())
}

/** The storage calls of one request by steps; a step ends when `sizes` says how many must have come, and a moment later. */
async function stepsOf(run: () => Promise<unknown>, ...sizes: number[]): Promise<string[][]> {
  const came: number[] = []
  const waiting: (() => void)[] = []
  const release = () => {
    came.push(waiting.length)
    sizes.shift()
    for (const go of waiting.splice(0)) go()
  }
  const hold: Fault = (_req, _res, pass) => {
    waiting.push(pass)
    if (waiting.length === (sizes[0] ?? 1)) setTimeout(release, 25)
  }
  proxied.dynamo.fault = hold
  proxied.s3.fault = hold
  const calls = await proxied.callsOf(run)
  proxied.heal()
  return came.map((size) => calls.splice(0, size).sort())
}

describe('a request', () => {
  serve()

  test('to read takes two steps: the token and the file item together, then the object', async () => {
    const { service } = proxied
    const { fileId } = await service.put(Buffer.alloc(10_485_760), { type: 'application/pdf' })
    const read = async () => expect((await service.read(`files://${fileId}`)).status).toBe(200)
    for (let i = 0; i < 3; i += 1) {
      expect(await stepsOf(read, 2, 1)).toEqual([['GetItem', 'UpdateItem'], ['GET object']])
    }
  })

  test('to list takes two steps: the token, then one query for each of two partitions', async () => {
    const { service } = proxied
    await service.put('x', { tags: ['a'] })
    for (const filter of [undefined, {}, { tags: ['a'] }, { mimeType: 'text/plain' }]) {
      const list = async () =>
        expect((await service.list(filter)).body.result.resources.length).toBeGreaterThan(0)
      expect(await stepsOf(list, 1, 2)).toEqual([['UpdateItem'], ['Query', 'Query']])
    }
  })

  test.each([
    [{ tags: ['a', 'b'] }, 4],
    [{ tags: ['a', 'b'], mimeType: 'text/plain' }, 6],
    [{ tags: ['a', 'b', 'c', 'd', 'e', 'f'], mimeType: 'text/plain' }, 8],
    [{ tags: ['a', 'a'] }, 2],
  ])('to list with %j probes %i partitions, all in the second step', async (filter, queries) => {
    const list = async () => expect((await proxied.service.list(filter)).status).toBe(200)
    expect(await stepsOf(list, 1, queries)).toEqual([['UpdateItem'], Array(queries).fill('Query')])
  })

  test('to list what no file can match asks for the token alone', async () => {
    const list = async () =>
      expect((await proxied.service.list({ tags: [''] })).body.result).toEqual({ resources: [] })
    expect(await proxied.callsOf(list)).toEqual(['UpdateItem'])
  })

  test('for what the caller may not see costs one step, the same for every reason', async () => {
    const { service } = proxied
    const { fileId } = await service.put('x')
    const outside = { workspace: 'another' }
    for (const [uri, who] of [
      [`files://${fileId}`, { user: 'bob' }],
      [`files://${fileId}`, outside],
      ['files://fl_0123456789abcdef01234567', {}],
      ['files://nothing/like%20an-id', {}],
    ] as const) {
      const read = async () => expect((await service.read(uri, who)).body.error.code).toBe(-32002)
      expect(await stepsOf(read, 2)).toEqual([['GetItem', 'UpdateItem']])
    }
  })

  test('for what is too large never opens the object', async () => {
    const { service } = proxied
    const { fileId } = await service.put('12345')
    const read = async () =>
      expect((await service.read(`files://${fileId}`, {}, { 'max-read-bytes': '4' })).body.error.code).toBe(
        -32005,
      )
    expect(await stepsOf(read, 2)).toEqual([['GetItem', 'UpdateItem']])
  })

  test('with wrong parameters costs its token and nothing else', async () => {
    const { service } = proxied
    const wrong = async () => {
      expect((await service.read('https://example.org')).body.error.code).toBe(-32602)
      expect((await service.list({ tags: null })).body.error.code).toBe(-32602)
      expect((await service.call({ jsonrpc: '2.0', id: 1, method: 'none' })).body.error.code).toBe(-32601)
    }
    expect(await proxied.callsOf(wrong)).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem'])
  })

  test('that is none, or comes from nobody, costs nothing', async () => {
    const { service } = proxied
    const none = async () => {
      await service.call('{')
      await service.call([])
      await service.call({ jsonrpc: '2.0', method: 'ai.nimblebrain/resources/list' })
      await service.call(
        { jsonrpc: '2.0', id: 1, method: 'x' },
        {},
        { headers: { authorization: 'Bearer x' } },
      )
      for (const path of ['healthz', 'capability', 'openapi.json', 'nowhere'])
        await fetch(`${service.url}/${path}`)
    }
    expect(await proxied.callsOf(none)).toEqual([])
  })

  test('of anybody for /readyz makes three calls in ten seconds, however many ask', async () => {
    const ask = async () => {
      await Promise.all(Array.from({ length: 20 }, () => fetch(`${proxied.service.url}/readyz`)))
    }
    expect((await proxied.callsOf(ask)).sort()).toEqual(['GetItem', 'HEAD object', 'UpdateItem'])
    expect(await proxied.callsOf(ask)).toEqual([])
  })
})

describe('a refusal', () => {
  serve({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' })

  test('asks for the token alone, and one that is remembered asks for nothing', async () => {
    const { service } = proxied
    const refused = async (server: string) =>
      expect((await service.list(undefined, { server })).body.error.code).toBe(-32004)
    const use = async (server: string) => {
      for (let i = 0; i < 2; i += 1) expect((await service.list(undefined, { server })).status).toBe(200)
    }
    await use('a')
    proxied.dynamo.fault = onlyFor('Query', () => {})
    expect(await proxied.callsOf(() => refused('a'))).toEqual(['UpdateItem'])
    expect(await proxied.callsOf(() => refused('a'))).toEqual([])
    const read = async () =>
      expect((await service.read('files://x', { server: 'a' })).body.error.code).toBe(-32004)
    expect(await proxied.callsOf(read)).toEqual([])
  })
})
