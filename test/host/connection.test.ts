/**
 * Who a request acts for: workspace and server of the connection, and the user of the moment; nothing of the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFileResolverClient } from '../../lib/host/client.ts'
import { createConnection } from '../../lib/host/connection.ts'
import { FileResolverError } from '../../lib/host/errors.ts'
import { type Service, startService } from '../harness.ts'
import { type Front, startFront } from './faults.ts'
import { clientOf, connect, optionsOf } from './rig.ts'

const readMethod = 'ai.nimblebrain/resources/read'
const listMethod = 'ai.nimblebrain/resources/list'

let service: Service
let front: Front
let anas: string
let bens: string

beforeAll(async () => {
  service = await startService()
  front = await startFront(service.url)
  anas = `files://${(await service.put('for ana', { ownerId: 'ana' })).fileId}`
  bens = `files://${(await service.put('for ben', { ownerId: 'ben' })).fileId}`
})

beforeEach(() => {
  Object.assign(front, { faults: ['pass'], asked: 0, retryAfter: undefined })
})

afterAll(async () => {
  await front?.close()
  await service?.close()
})

describe.each([
  [1, 'memory'],
  [1, 'http'],
  [2, 'memory'],
  [2, 'http'],
] as const)('two users on one connection, SDK %i over %s', (generation, kind) => {
  test('each reads as who runs the tool, however their calls interleave', async () => {
    const running = new AsyncLocalStorage<string>()
    const currentUser = () => running.getStore()
    const rig = await connect(generation, kind, optionsOf(clientOf(service), { currentUser }))
    const calls = Array.from({ length: 40 }, (_, i) => {
      const [user, own, other] = i % 2 === 0 ? ['ana', anas, bens] : ['ben', bens, anas]
      return running.run(String(user), async () => ({
        user,
        own: await rig.ask(readMethod, { uri: own }),
        other: await rig.ask(readMethod, { uri: other }),
      }))
    })
    const seen = await Promise.all(calls)
    await rig.close()
    for (const { user, own, other } of seen) {
      expect(own.result).toMatchObject({ contents: [{ text: `for ${user}` }] })
      expect(other.error?.code).toBe(-32002)
    }
  })
})

test('without a current user the request fails and the service is not asked', async () => {
  for (const none of [undefined, '']) {
    const options = optionsOf(clientOf(service, front.url), { currentUser: () => none })
    const rig = await connect(1, 'memory', options)
    const { error } = await rig.ask(readMethod, { uri: anas })
    await rig.close()
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
  }
  expect(front.asked).toBe(0)
})

test('a host that knows no current user is told so', async () => {
  const failures: string[] = []
  const onFailure = (error: FileResolverError) => failures.push(error.message)
  const connection = createConnection(optionsOf(clientOf(service), { currentUser: () => '', onFailure }))
  await connection.serve(readMethod, { uri: anas }).catch(() => {})
  expect(failures).toEqual(['the host knows no current user for this request'])
})

test('a currentUser that throws or answers late is waited for, and fails the request only', async () => {
  let turn = 0
  const currentUser = async () => {
    turn += 1
    if (turn === 1) throw new Error('no context')
    return 'ana'
  }
  const rig = await connect(2, 'memory', optionsOf(clientOf(service), { currentUser }))
  const first = await rig.ask(readMethod, { uri: anas })
  const second = await rig.ask(readMethod, { uri: anas })
  await rig.close()
  expect(first.error).toEqual({ code: -32603, message: 'Internal error' })
  expect(second.result).toMatchObject({ contents: [{ text: 'for ana' }] })
})

test('nothing in a request changes for whom it acts', async () => {
  const claims = {
    user: 'ben',
    userId: 'ben',
    sub: 'ben',
    workspaceId: 'other',
    _meta: {
      user: 'ben',
      'ai.nimblebrain/user': 'ben',
      'ai.nimblebrain/source': 'other',
      'ai.nimblebrain/workspace': 'other',
    },
  }
  for (const generation of [1, 2] as const) {
    const rig = await connect(generation, 'memory', optionsOf(clientOf(service)))
    const own = await rig.ask(readMethod, { ...claims, uri: anas })
    const other = await rig.ask(readMethod, { ...claims, uri: bens })
    await rig.close()
    expect(own.result).toMatchObject({ contents: [{ text: 'for ana' }] })
    expect(other.error?.code).toBe(-32002)
  }
})

test.each([1, 2] as const)('the filter of a list arrives and is applied, SDK %i', async (generation) => {
  const { fileId } = await service.put('%PDF', {
    name: 'msa.pdf',
    tags: [`größe-東京-${generation}`, 'contracts'],
  })
  const rig = await connect(generation, 'memory', optionsOf(clientOf(service)))
  const filter = { mimeType: 'application/pdf', tags: [`größe-東京-${generation}`] }
  const { result } = await rig.ask(listMethod, { _meta: { filter, progressToken: 5 } })
  await rig.close()
  expect(result).toEqual({
    resources: [{ uri: `files://${fileId}`, name: 'msa.pdf', mimeType: 'application/pdf', size: 4 }],
  })
})

test('a blob of a type that looks like text is handed on unchanged', async () => {
  const { fileId } = await service.put(Uint8Array.of(0xff, 0xfe, 0xfd), {
    name: 'x.ndjson',
    type: 'application/x-ndjson',
  })
  const uri = `files://${fileId}`
  const rig = await connect(2, 'memory', optionsOf(clientOf(service)))
  const { result } = await rig.ask(readMethod, { uri })
  await rig.close()
  expect(result).toEqual({ contents: [{ uri, mimeType: 'application/x-ndjson', blob: '//79' }] })
})

test('a host learns of each failure by type, with its cause', async () => {
  const failures: FileResolverError[] = []
  const onFailure = (error: FileResolverError) => failures.push(error)
  const connection = createConnection(optionsOf(clientOf(service, front.url), { onFailure }))
  await connection.serve(readMethod, { uri: bens }).catch(() => {})
  front.faults = ['gateway']
  await connection.serve(readMethod, { uri: anas }).catch(() => {})
  expect(failures.map(({ code, transport, message }) => [code, transport, message])).toEqual([
    [-32002, false, 'Resource not found'],
    [-32603, true, 'the service answered 502'],
  ])
})

test('what is thrown for an outage is still the error class, marked as transport', async () => {
  front.faults = ['gateway']
  const connection = createConnection(optionsOf(clientOf(service, front.url)))
  const error = await connection.serve(readMethod, { uri: anas }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(FileResolverError)
  expect(error).toMatchObject({ code: -32603, message: 'Internal error', transport: true })
})

test('a request that the server cancels is given up at the service', async () => {
  const large = `files://${(await service.put(Buffer.alloc(1024 ** 2), { name: 'slow.bin' })).fileId}`
  Object.assign(front, { faults: ['slow'], bytesPerSecond: 50_000 })
  const abort = new AbortController()
  const connection = createConnection(optionsOf(clientOf(service, front.url)))
  const reading = connection.serve(readMethod, { uri: large }, abort.signal)
  await expect.poll(() => front.asked, { timeout: 30_000 }).toBe(1)
  abort.abort()
  await expect(reading).rejects.toMatchObject({ code: -32603, transport: true })
  expect(front.asked).toBe(1)
})

test('a limit that is no whole number of bytes is refused when the connection is built', () => {
  const resolver = clientOf(service)
  for (const maxReadBytes of [0, -1, 0.5, Number.NaN]) {
    expect(() => createConnection(optionsOf(resolver, { maxReadBytes }))).toThrow('maxReadBytes')
  }
})

test.each([1, 2] as const)(
  'a service too slow to answer in time is a time-out for the server, SDK %i',
  async (generation) => {
    const large = `files://${(await service.put(Buffer.alloc(1024 ** 2), { name: 'slow.bin' })).fileId}`
    Object.assign(front, { faults: ['slow'], bytesPerSecond: 100_000 })
    const impatient = createFileResolverClient({ url: front.url, signer: service.signer, timeoutMs: 600 })
    const rig = await connect(generation, 'memory', optionsOf(impatient))
    const { error } = await rig.ask(readMethod, { uri: large })
    front.faults = ['pass']
    const next = await rig.ask(readMethod, { uri: anas })
    await rig.close()
    expect(error).toEqual({ code: -32001, message: 'Request timed out' })
    expect(next.result).toMatchObject({ contents: [{ text: 'for ana' }] })
    expect(front.asked).toBe(2)
  },
)
