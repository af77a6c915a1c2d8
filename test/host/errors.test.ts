/**
 * Every row of the contract's error table as a server sees it on the wire, through both SDK generations and each
 * transport.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'
import { type Front, startFront } from './faults.ts'
import { clientOf, connect, optionsOf, pairs, type Rig } from './rig.ts'

const readMethod = 'ai.nimblebrain/resources/read'
const listMethod = 'ai.nimblebrain/resources/list'
const missing = 'files://fl_000000000000000000000000'
const list = (filter: unknown) => ({ _meta: { filter } })

let service: Service
let throttled: Service
let front: Front
let bens: string
let large: string

beforeAll(async () => {
  service = await startService({ MAX_READ_BYTES: '1000' })
  front = await startFront(service.url)
  bens = `files://${(await service.put('private', { ownerId: 'ben' })).fileId}`
  large = `files://${(await service.put('x'.repeat(1001), { name: 'large.txt' })).fileId}`
  await service.read(large) // its clients take their endpoints from the environment when first used
  throttled = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' })
})

afterAll(async () => {
  await front?.close()
  await service?.close()
  await throttled?.close()
})

describe.each(pairs)('SDK %i over %s', (generation, kind) => {
  let rig: Rig
  let resolver: ReturnType<typeof clientOf>

  beforeAll(async () => {
    resolver = clientOf(service, front.url)
    rig = await connect(generation, kind, optionsOf(resolver))
  })

  afterAll(() => rig?.close())

  const data: readonly (readonly [string, string, Record<string, unknown>, number, unknown])[] = [
    ['a missing file', readMethod, { uri: missing }, -32002, { uri: missing }],
    [
      'another scheme',
      readMethod,
      { uri: 'https://x/y' },
      -32602,
      { uri: 'https://x/y', supported: ['files'] },
    ],
    ['no uri', readMethod, {}, -32602, undefined],
    ['a uri that is null', readMethod, { uri: null }, -32602, undefined],
    ['a uri that is a number', readMethod, { uri: 5 }, -32602, undefined],
    ['a uri that is an object', readMethod, { uri: {} }, -32602, undefined],
    ['a uri that is a list', readMethod, { uri: [missing] }, -32602, undefined],
    ['a uri of 100,000 characters', readMethod, { uri: `files://${'x'.repeat(99_992)}` }, -32602, undefined],
    ['a cursor', listMethod, { cursor: 'next' }, -32602, { cursor: 'next' }],
    ['an empty cursor', listMethod, { cursor: '' }, -32602, { cursor: '' }],
    ['a filter that is null', listMethod, list(null), -32602, { receivedType: 'null' }],
    ['a filter that is a list', listMethod, list([]), -32602, { receivedType: 'array' }],
    ['tags that are a string', listMethod, list({ tags: 'q3' }), -32602, { receivedType: 'string' }],
    [
      'a filter of another scheme',
      listMethod,
      list({ scheme: 'https' }),
      -32602,
      { scheme: 'https', supported: ['files'] },
    ],
    [
      'an unknown filter',
      listMethod,
      list({ owner: 'ana' }),
      -32602,
      { unknown: ['owner'], supported: ['scheme', 'mimeType', 'tags'] },
    ],
    ['the method resources/write', 'ai.nimblebrain/resources/write', {}, -32601, undefined],
    ['a method in capitals', 'AI.nimblebrain/resources/read', { uri: missing }, -32601, undefined],
    ['the method __proto__', '__proto__', {}, -32601, undefined],
  ]

  test.each(data)('%s arrives with its number and data', async (_what, method, params, code, expected) => {
    const { error } = await rig.ask(method, params)
    expect(error).toMatchObject({ code })
    expect(error?.data).toEqual(expected)
    expect(error?.message).not.toMatch(/^MCP error/)
  })

  test("another user's file looks like a missing one", async () => {
    const { error } = await rig.ask(readMethod, { uri: bens })
    expect(error).toEqual({ code: -32002, message: 'Resource not found', data: { uri: bens } })
  })

  test('a file over the limit is -32005', async () => {
    const { error } = await rig.ask(readMethod, { uri: large })
    expect(error).toMatchObject({ code: -32005, data: { uri: large, size: 1001, maxSize: 1000 } })
  })

  test('an empty bucket is -32004', async () => {
    const serverId = `throttled-${generation}-${kind}`
    const limited = await connect(generation, kind, optionsOf(clientOf(throttled), { serverId }))
    const seen = [await limited.ask(listMethod), await limited.ask(listMethod)]
    await limited.close()
    expect(seen[0]?.result).toEqual({ resources: [] })
    expect(seen[1]?.error?.code).toBe(-32004)
    const retryAfterMs = Number(seen[1]?.error?.data?.retryAfterMs)
    expect(Number.isInteger(retryAfterMs) && retryAfterMs > 0 && retryAfterMs <= 1000).toBe(true)
  })

  test.each(['unavailable', 'refuse', 'gateway', 'redirect', 'cut', 'html', 'prelude'] as const)(
    'an outage (%s) is -32603 without detail',
    async (fault) => {
      front.faults = [fault]
      front.retryAfter = undefined
      const { error } = await rig.ask(listMethod)
      front.faults = ['pass']
      expect(error).toEqual({ code: -32603, message: 'Internal error' })
    },
  )
})
