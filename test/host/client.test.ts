/**
 * The client against the real service, through a front that misbehaves: what is repeated, what never is, and how each
 * failure reads.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ClientOptions, createFileResolverClient } from '../../lib/host/client.ts'
import { FileResolverError } from '../../lib/host/errors.ts'
import type { Signer } from '../../lib/token.ts'
import { type Service, startService } from '../harness.ts'
import { type Front, startFront } from './faults.ts'

const ana = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }
let service: Service
let front: Front
let uri: string

beforeAll(async () => {
  service = await startService()
  front = await startFront(service.url)
  uri = `files://${(await service.put('region,revenue\nnorth,3\n', { name: 'q3.csv', tags: ['q3'] })).fileId}`
})

beforeEach(() => {
  Object.assign(front, { faults: ['pass'], asked: 0, retryAfter: '1' })
})

afterAll(async () => {
  await front?.close()
  await service?.close()
})

function client(options: Partial<ClientOptions> = {}) {
  return createFileResolverClient({ url: front.url, signer: service.signer, random: () => 0, ...options })
}

/** The failure of a read, as plain data. */
async function failure(reading: Promise<unknown>) {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof FileResolverError)) throw new Error(`not the error class: ${String(error)}`)
  const { code, data, transport, message } = error
  return { code, data, transport, message }
}

test('a read gives the contents, with the type that a list gives', async () => {
  const contents = [{ uri, mimeType: 'text/csv', text: 'region,revenue\nnorth,3\n' }]
  expect(await client().read(uri, ana)).toEqual({ contents })
  const filter = { tags: ['q3'] }
  expect(await client().list({ _meta: { filter } }, ana)).toEqual({
    resources: [{ uri, name: 'q3.csv', mimeType: 'text/csv', size: 23 }],
  })
})

test('a list may have no parameters', async () => {
  expect((await client().list(undefined, ana)).resources).toHaveLength(1)
})

test('the caller is who is given, each time', async () => {
  expect(await failure(client().read(uri, { ...ana, userId: 'ben' }))).toMatchObject({ code: -32002 })
  expect(await failure(client().read(uri, { ...ana, workspaceId: 'other' }))).toMatchObject({ code: -32002 })
})

test('a refusal of the service is not transport, keeps its data and is not repeated', async () => {
  const missing = 'files://fl_000000000000000000000000'
  expect(await failure(client().read(missing, ana))).toEqual({
    code: -32002,
    data: { uri: missing },
    transport: false,
    message: 'Resource not found',
  })
  expect(front.asked).toBe(1)
})

test('a lower limit for one read is the service’s to keep', async () => {
  expect(await failure(client().read(uri, ana, { maxReadBytes: 22 }))).toMatchObject({
    code: -32005,
    data: { uri, size: 23, maxSize: 22 },
  })
})

test('a frame that the service would not take is refused here', async () => {
  expect(await failure(client().read(`files://${'x'.repeat(99_992)}`, ana))).toMatchObject({
    code: -32602,
    data: undefined,
    transport: false,
  })
  expect(front.asked).toBe(0)
})

test('a path before the endpoints is kept', async () => {
  const paths: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    paths.push(String(input))
    return Response.json({ jsonrpc: '2.0', id: 1, result: { resources: [] } })
  }
  await client({ url: 'https://files.test/base/', fetch }).list({}, ana)
  await client({ url: 'https://files.test/base', fetch }).list({}, ana)
  expect(paths).toEqual(['https://files.test/base/rpc', 'https://files.test/base/rpc'])
})

test('a service that is down is tried three times and is transport', async () => {
  front.faults = ['reset']
  expect(await failure(client().read(uri, ana))).toMatchObject({ code: -32603, transport: true })
  expect(front.asked).toBe(3)
})

test('nobody listening is transport', async () => {
  const nobody = client({ url: 'http://127.0.0.1:9' })
  expect(await failure(nobody.read(uri, ana))).toMatchObject({ code: -32603, transport: true })
})

test('a connection that fails once is tried again', async () => {
  front.faults = ['reset', 'pass']
  expect((await client().read(uri, ana)).contents).toHaveLength(1)
  expect(front.asked).toBe(2)
})

test('503 with Retry-After is tried again after that time, at most thrice', async () => {
  Object.assign(front, { faults: ['unavailable', 'pass'], retryAfter: '0' })
  expect((await client().read(uri, ana)).contents).toHaveLength(1)
  expect(front.asked).toBe(2)
  Object.assign(front, { faults: ['unavailable'], asked: 0 })
  expect(await failure(client().read(uri, ana))).toMatchObject({ code: -32603, transport: true })
  expect(front.asked).toBe(3)
})

test.each([
  ['names no time', undefined],
  ['names a time that cannot be read', 'soon'],
  ['asks for longer than the host waits', '3600'],
])('a 503 that %s is not repeated', async (_what, retryAfter) => {
  Object.assign(front, { faults: ['unavailable'], retryAfter })
  expect(await failure(client().read(uri, ana))).toMatchObject({ code: -32603, transport: true })
  expect(front.asked).toBe(1)
})

test.each([
  ['a body cut before its end', 'cut'],
  ['a gateway’s error', 'gateway'],
  ['a page of HTML', 'html'],
  ['the prelude of a function that was not invoked by its URL', 'prelude'],
  ['a refused credential', 'refuse'],
] as const)('%s is transport and is not repeated', async (_what, fault) => {
  front.faults = [fault]
  expect(await failure(client().read(uri, ana))).toMatchObject({ code: -32603, transport: true })
  expect(front.asked).toBe(1)
})

test('a redirect is not followed, so that no credential reaches another origin', async () => {
  const received: string[] = []
  const elsewhere = createServer((req, res) => {
    received.push(req.url ?? '')
    res.end()
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  const port = (elsewhere.address() as AddressInfo).port
  const redirecting = await startFront(service.url, `http://127.0.0.1:${port}/rpc`)
  redirecting.faults = ['redirect']
  const seen = await failure(client({ url: redirecting.url }).read(uri, ana))
  await redirecting.close()
  await new Promise((resolve) => elsewhere.close(resolve))
  expect(seen).toMatchObject({
    code: -32603,
    transport: true,
    message: 'the service redirects (307), not followed',
  })
  expect(received).toEqual([])
  expect(redirecting.asked).toBe(1)
})

test('a slow answer is a time-out, asked for once', async () => {
  const large = `files://${(await service.put(Buffer.alloc(1024 ** 2), { name: 'slow.bin' })).fileId}`
  Object.assign(front, { faults: ['slow'], bytesPerSecond: 100_000 })
  expect(await failure(client({ timeoutMs: 600 }).read(large, ana))).toEqual({
    code: -32001,
    data: undefined,
    transport: true,
    message: 'Request timed out',
  })
  expect(front.asked).toBe(1)
})

test('an answer that falls silent is given up', async () => {
  const large = `files://${(await service.put(Buffer.alloc(1024 ** 2), { name: 'silent.bin' })).fileId}`
  Object.assign(front, { faults: ['slow'], bytesPerSecond: 20 })
  const seen = await failure(client({ idleMs: 20 }).read(large, ana))
  expect(seen).toMatchObject({ code: -32603, transport: true, message: 'the answer broke off' })
  expect(front.asked).toBe(1)
})

test('an answer longer than the bound is given up', async () => {
  const seen = await failure(client({ maxResponseBytes: 20 }).read(uri, ana))
  expect(seen).toMatchObject({ code: -32603, transport: true })
})

test('a call that its caller gives up ends', async () => {
  const abort = new AbortController()
  abort.abort()
  expect(await failure(client().read(uri, ana, { signal: abort.signal }))).toMatchObject({ transport: true })
  expect(front.asked).toBe(0)
})

test.each([
  ['another id', { jsonrpc: '2.0', id: 77, result: { contents: [] } }],
  ['no version', { id: 1, result: { contents: [] } }],
  ['both result and error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: -32002, message: 'x' } }],
  ['neither', { jsonrpc: '2.0', id: 1 }],
  ['a list', [{ jsonrpc: '2.0', id: 1, result: { contents: [] } }]],
  ['an error without number', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
  ['a result of another method', { jsonrpc: '2.0', id: 1, result: { resources: [] } }],
])('a response with %s is transport', async (_what, response) => {
  const fetch = async () => Response.json(response)
  expect(await failure(client({ fetch }).read(uri, ana))).toMatchObject({ code: -32603, transport: true })
})

test('a token that the service refused is not used again', async () => {
  const clock = { nowMs: Date.now() - 60_000 }
  const sent: (string | null)[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push(new Headers(init?.headers).get('authorization'))
    return globalThis.fetch(input, init)
  }
  const refused = client({ fetch, now: () => clock.nowMs })
  front.faults = ['refuse', 'pass']
  expect(await failure(refused.read(uri, ana))).toMatchObject({ transport: true })
  clock.nowMs += 30_000
  await refused.read(uri, ana)
  await refused.read(uri, ana)
  expect(new Set(sent).size).toBe(2)
  expect(sent[1]).toBe(sent[2])
})

test.each(['empty', 'cut', 'endless'])(
  'a 401 whose body is %s is a refused credential all the same',
  async (body) => {
    const sent: (string | null)[] = []
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      sent.push(new Headers(init?.headers).get('authorization'))
      return new Response(bodyOf(body), { status: 401, headers: { 'content-type': 'application/json' } })
    }
    const clock = { nowMs: Date.now() - 60_000 }
    const refused = client({ fetch, now: () => clock.nowMs, timeoutMs: 5_000 })
    expect(await failure(refused.read(uri, ana))).toMatchObject({
      code: -32603,
      transport: true,
      message: 'the service refused the credential (401)',
    })
    clock.nowMs += 30_000
    await failure(refused.read(uri, ana))
    expect(new Set(sent).size).toBe(2)
  },
)

test.each(['empty', 'cut', 'endless'])('a 503 whose body is %s is tried again all the same', async (body) => {
  let asked = 0
  const fetch: typeof globalThis.fetch = async () => {
    asked += 1
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    if (asked === 1) return new Response(bodyOf(body), { status: 503, headers })
    return Response.json({ jsonrpc: '2.0', id: 1, result: { contents: [] } })
  }
  expect(await client({ fetch, timeoutMs: 5_000 }).read(uri, ana)).toEqual({ contents: [] })
})

/** A JSON body that does not come whole. */
function bodyOf(kind: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (kind !== 'empty') controller.enqueue(Buffer.from('{"err'))
      if (kind === 'cut') controller.error(new Error('reset'))
      if (kind === 'empty') controller.close()
    },
  })
}

test.each([
  ['token', { token: () => new Promise<string>(() => {}) }],
  ['signer', { signer: new Promise<Signer>(() => {}) }],
])('a %s that never comes is a time-out', async (_what, options) => {
  const waiting = createFileResolverClient({ url: front.url, timeoutMs: 50, ...options })
  expect(await failure(waiting.read(uri, ana))).toEqual({
    code: -32001,
    data: undefined,
    transport: true,
    message: 'Request timed out',
  })
  expect(front.asked).toBe(0)
})

test('a prelude before the body never reaches the JSON parser', async () => {
  front.faults = ['prelude']
  expect(await failure(client().read(uri, ana))).toMatchObject({ message: 'the answer broke off' })
})

test('tokens may come from the host', async () => {
  const callers: unknown[] = []
  const token = async (caller: object) => {
    callers.push(caller)
    return service.token()
  }
  await createFileResolverClient({ url: service.url, token }).list({}, ana)
  expect(callers).toEqual([ana])
})

test('a client needs a signer or tokens, and an http URL', () => {
  expect(() => createFileResolverClient({ url: service.url })).toThrow('signer or a token')
  expect(() => createFileResolverClient({ url: 'file:///x', token: () => '' })).toThrow('https://')
  expect(() => client({ tokenTtlSec: 901 })).toThrow('tokenTtlSec')
})
