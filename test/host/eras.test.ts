/**
 * Where the extension is served (contract 8): on revisions before 2026-07-28, and nowhere else.
 */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Client as Client2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { createMcpHandler, InMemoryTransport as Memory2 } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFileHost as createFileHost1 } from '../../lib/host/sdk1.ts'
import { createFileHost as createFileHost2 } from '../../lib/host/sdk2.ts'
import { type Service, startService } from '../harness.ts'
import { type Front, startFront } from './faults.ts'
import { clientOf, optionsOf, rig } from './rig.ts'
import { createServer2, serve1, serve2 } from './servers.ts'

const extensionKey = 'ai.nimblebrain/host-resources'
const readMethod = 'ai.nimblebrain/resources/read'
const listMethod = 'ai.nimblebrain/resources/list'
const capability = {
  read: { enabled: true, range: false, maxSize: 10_485_760 },
  list: { enabled: true },
  write: { enabled: false },
  schemes: ['files'],
}

let service: Service
let front: Front

beforeAll(async () => {
  service = await startService()
  front = await startFront(service.url)
})

beforeEach(() => {
  front.asked = 0
})

afterAll(async () => {
  await front?.close()
  await service?.close()
})

/** A server that negotiates 2026-07-28, and every message that it is sent. */
async function startModern() {
  const handler = createMcpHandler(() => createServer2())
  const bodies: string[] = []
  const fetch = async (request: Request) => {
    bodies.push(await request.clone().text())
    return handler.fetch(request)
  }
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  return { url, bodies, close: () => new Promise((resolve) => server.close(resolve)) }
}

test.each(['auto', { pin: '2026-07-28' }] as const)(
  'on a 2026-07-28 connection (%j) nothing is advertised and nothing served',
  async (mode) => {
    const modern = await startModern()
    const client = new Client2({ name: 'host', version: '1' }, { versionNegotiation: { mode } })
    await createFileHost2(optionsOf(clientOf(service, front.url))).attach(client)
    await client.connect(new StreamableHTTPClientTransport(modern.url))
    const seen = await rig((name, args) => client.callTool({ name, arguments: args })).ask(
      listMethod,
      {},
      300,
    )
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    await client.close()
    await modern.close()
    expect(seen.result).toBeUndefined()
    expect(seen.capability).toBeUndefined()
    expect(front.asked).toBe(0)
    expect(modern.bodies.length).toBeGreaterThan(1)
    for (const body of modern.bodies) expect(body).not.toContain(extensionKey)
  },
)

test('a request that a modern connection lets through all the same is -32601', async () => {
  type Handler = (params: unknown, context: unknown) => Promise<unknown>
  const handlers = new Map<string, Handler>()
  const client = {
    getNegotiatedProtocolVersion: () => '2026-07-28',
    connect: async () => {},
    setRequestHandler: (method: string, _schemas: unknown, handler: Handler) =>
      void handlers.set(method, handler),
  }
  await createFileHost2(optionsOf(clientOf(service, front.url))).attach(client as never)
  expect([...handlers.keys()]).toEqual([readMethod, listMethod])
  for (const handle of handlers.values()) {
    const context = { mcpReq: { signal: new AbortController().signal } }
    await expect(handle({}, context)).rejects.toMatchObject({ code: -32601 })
  }
  expect(front.asked).toBe(0)
})

test('a capability that the host gave its client itself is taken back there', async () => {
  const modern = await startModern()
  const files = createFileHost2(optionsOf(clientOf(service, front.url)))
  const extensions = { ...(await files.extensions()), 'com.example/other': {} }
  const client = new Client2(
    { name: 'host', version: '1' },
    { capabilities: { extensions }, versionNegotiation: { mode: 'auto' } },
  )
  await files.attach(client)
  await client.connect(new StreamableHTTPClientTransport(modern.url))
  await client.listTools()
  await client.close()
  await modern.close()
  const bodies = modern.bodies.filter((body) => body.includes('clientCapabilities'))
  expect(bodies.length).toBeGreaterThan(0)
  for (const body of bodies) expect(body).not.toContain(extensionKey)
  for (const body of bodies) expect(body).toContain('com.example/other')
})

test('a client that may negotiate, and falls back, serves as on any older connection', async () => {
  const client = new Client2({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await createFileHost2(optionsOf(clientOf(service))).attach(client)
  const [near, far] = Memory2.createLinkedPair()
  await serve2(far)
  await client.connect(near)
  const seen = await rig((name, args) => client.callTool({ name, arguments: args })).ask(listMethod)
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
  await client.close()
  expect(seen).toMatchObject({ capability, result: { resources: [] } })
})

test('SDK 1.x refuses a server that insists on 2026-07-28', async () => {
  const client = new Client1({ name: 'host', version: '1' })
  await createFileHost1(optionsOf(clientOf(service))).attach(client)
  const [near, far] = Memory1.createLinkedPair()
  far.onmessage = (message) => {
    if (!('id' in message) || message.id === undefined) return
    const result = {
      protocolVersion: '2026-07-28',
      capabilities: {},
      serverInfo: { name: 'x', version: '1' },
    }
    void far.send({ jsonrpc: '2.0', id: message.id, result })
  }
  await far.start()
  await expect(client.connect(near)).rejects.toThrow('protocol version is not supported')
})

test('on older connections the capability stands beside what the host advertises itself', async () => {
  const own = { sampling: {}, extensions: { 'com.example/other': { on: true } } }
  const client1 = new Client1({ name: 'host', version: '1' }, { capabilities: own })
  const client2 = new Client2({ name: 'host', version: '1' }, { capabilities: own })
  await createFileHost1(optionsOf(clientOf(service))).attach(client1)
  await createFileHost2(optionsOf(clientOf(service))).attach(client2)
  const [near1, far1] = Memory1.createLinkedPair()
  const [near2, far2] = Memory2.createLinkedPair()
  const server1 = await serve1(far1)
  const server2 = await serve2(far2)
  await client1.connect(near1)
  await client2.connect(near2)
  const advertised = {
    sampling: {},
    extensions: { 'com.example/other': { on: true }, [extensionKey]: capability },
  }
  expect(server1.server.getClientCapabilities()).toEqual(advertised)
  expect(server2.server.getClientCapabilities()).toEqual(advertised)
  await client1.close()
  await client2.close()
})

test('the two generations understand each other, -32002 included', async () => {
  const uri = 'files://fl_000000000000000000000000'
  const client1 = new Client1({ name: 'host', version: '1' })
  const client2 = new Client2({ name: 'host', version: '1' })
  await createFileHost1(optionsOf(clientOf(service))).attach(client1)
  await createFileHost2(optionsOf(clientOf(service))).attach(client2)
  const [near1, far2] = Memory2.createLinkedPair()
  const [near2, far1] = Memory1.createLinkedPair()
  await serve2(far2)
  await serve1(far1)
  await client1.connect(near1 as never)
  await client2.connect(near2 as never)
  const seen1 = await rig((name, args) => client1.callTool({ name, arguments: args })).ask(readMethod, {
    uri,
  })
  const seen2 = await rig((name, args) => client2.callTool({ name, arguments: args })).ask(readMethod, {
    uri,
  })
  await client1.close()
  await client2.close()
  const error = { code: -32002, message: 'Resource not found', data: { uri } }
  expect(seen1.error).toEqual(error)
  expect(seen2.error).toEqual(error)
  expect(seen2.thrown).toEqual({ name: 'McpError', code: -32002 })
})
