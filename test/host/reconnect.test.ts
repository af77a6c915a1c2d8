/**
 * Servers go away and come back: whatever way the host builds its connection again, both methods still answer.
 */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileResolverClient } from '../../lib/host/client.ts'
import { createFileHost as createFileHost1 } from '../../lib/host/sdk1.ts'
import { createFileHost as createFileHost2 } from '../../lib/host/sdk2.ts'
import { type Service, startService } from '../harness.ts'
import { startHttpServer } from './http-server.ts'
import { clientOf, type Generation, optionsOf, rig, stdioParameters } from './rig.ts'

const readMethod = 'ai.nimblebrain/resources/read'
const missing = 'files://fl_000000000000000000000000'

let service: Service
let uri: string

beforeAll(async () => {
  service = await startService()
  uri = `files://${(await service.put('hello')).fileId}`
})

afterAll(() => service?.close())

/** How the tests use a client of either generation. */
interface Connected {
  readonly client: Client1 | Client2
  connect(target: URL | 'stdio', token?: string): Promise<number | undefined>
  tryRead(): Promise<void>
}

/** Builds clients of one connection, as a host's factory does; `attach` is the only thing it knows of files. */
function factory(generation: Generation): () => Promise<Connected> {
  const options = optionsOf(clientOf(service))
  const files1 = createFileHost1(options)
  const files2 = createFileHost2(options)

  return async () => {
    const init = (token?: string) => ({
      requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} },
    })
    if (generation === 1) {
      const client = new Client1({ name: 'host', version: '1' })
      await files1.attach(client)
      return {
        client,
        tryRead: () => check((name, args) => client.callTool({ name, arguments: args })),
        async connect(target, token) {
          const stdio = new Stdio1(stdioParameters(1))
          await client.connect(target === 'stdio' ? stdio : new Http1(target, init(token)))
          return stdio.pid ?? undefined
        },
      }
    }
    const client = new Client2({ name: 'host', version: '1' })
    await files2.attach(client)
    return {
      client,
      tryRead: () => check((name, args) => client.callTool({ name, arguments: args })),
      async connect(target, token) {
        const stdio = new Stdio2(stdioParameters(2))
        await client.connect(target === 'stdio' ? stdio : new Http2(target, init(token)))
        return stdio.pid ?? undefined
      },
    }
  }
}

async function check(
  callTool: (name: string, args: Record<string, unknown>) => Promise<object>,
): Promise<void> {
  const { ask } = rig(callTool)
  const found = await ask(readMethod, { uri })
  expect(found.result).toMatchObject({ contents: [{ text: 'hello' }] })
  expect(found.capability).toMatchObject({ read: { enabled: true } })
  expect((await ask(readMethod, { uri: missing })).error).toMatchObject({
    code: -32002,
    data: { uri: missing },
  })
}

describe.each([1, 2] as const)('SDK %i', (generation) => {
  test('a server process that was killed is started again, with the same client and with a new one', async () => {
    const build = factory(generation)
    const first = await build()
    const pid = await first.connect('stdio')
    await first.tryRead()
    const closed = new Promise<void>((resolve) => {
      first.client.onclose = resolve
    })
    process.kill(Number(pid), 'SIGKILL')
    await closed
    await first.connect('stdio')
    await first.tryRead()
    await first.client.close()
    const second = await build()
    await second.connect('stdio')
    await second.tryRead()
    await second.client.close()
  })

  test('an HTTP session that the server forgot is opened again', async () => {
    const server = await startHttpServer(generation, 64 * 1024 ** 2)
    const build = factory(generation)
    const first = await build()
    await first.connect(server.url)
    await first.tryRead()
    server.forget()
    await expect(first.tryRead()).rejects.toThrow()
    await first.client.close()
    await first.connect(server.url)
    await first.tryRead()
    await first.client.close()
    await server.close()
  })

  test('a server that asks for another credential is served with the next client', async () => {
    const server = await startHttpServer(generation, 64 * 1024 ** 2)
    const build = factory(generation)
    server.require('one')
    const first = await build()
    await first.connect(server.url, 'one')
    await first.tryRead()
    server.require('two')
    await expect(first.tryRead()).rejects.toThrow()
    await first.client.close()
    const second = await build()
    await second.connect(server.url, 'two')
    await second.tryRead()
    await second.client.close()
    await server.close()
  })

  test('a client that is attached twice answers once', async () => {
    const server = await startHttpServer(generation, 64 * 1024 ** 2)
    const build = factory(generation)
    const built = await build()
    if (built.client instanceof Client1)
      await createFileHost1(optionsOf(clientOf(service))).attach(built.client)
    else await createFileHost2(optionsOf(clientOf(service))).attach(built.client)
    await built.connect(server.url)
    await built.tryRead()
    await built.client.close()
    await server.close()
  })
})

test('a connection that starts while the service is down has files once it is back', async () => {
  let up = false
  const fetch: typeof globalThis.fetch = (input, init) =>
    up ? globalThis.fetch(input, init) : Promise.reject(new TypeError('down'))
  const blinking = createFileResolverClient({ url: service.url, signer: service.signer, fetch })
  const server = await startHttpServer(1, 64 * 1024 ** 2)
  const client = new Client1({ name: 'host', version: '1' })
  await createFileHost1(optionsOf(blinking)).attach(client)
  await client.connect(new Http1(server.url))
  up = true
  await check((name, args) => client.callTool({ name, arguments: args }))
  await client.close()
  await server.close()
})
