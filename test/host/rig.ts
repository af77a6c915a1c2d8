/**
 * A host with an MCP server on the other end, for each SDK generation and transport: `ask` lets the server send a
 * request to the host and tells what it saw.
 */
import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioClient2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClient1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpClient1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { InMemoryTransport as Memory2 } from '@modelcontextprotocol/server'
import { createFileResolverClient, type FileResolverClient } from '../../lib/host/client.ts'
import type { ConnectionOptions } from '../../lib/host/connection.ts'
import { createFileHost as createFileHost1 } from '../../lib/host/sdk1.ts'
import { createFileHost as createFileHost2 } from '../../lib/host/sdk2.ts'
import type { Service } from '../harness.ts'
import { startHttpServer } from './http-server.ts'
import { type Seen, serve1, serve2 } from './servers.ts'

/** SDK generation of both ends. */
export type Generation = 1 | 2

/** How they talk. */
export type Kind = 'memory' | 'stdio' | 'http'

/** A connected pair. */
export interface Rig {
  ask(method: string, params?: Record<string, unknown>, timeoutMs?: number): Promise<Seen>
  close(): Promise<void>
}

/** Every pair that must behave alike. */
export const pairs: readonly (readonly [Generation, Kind])[] = [
  [1, 'memory'],
  [1, 'stdio'],
  [1, 'http'],
  [2, 'memory'],
  [2, 'stdio'],
  [2, 'http'],
]

const stdioServer = new URL('./stdio-server.ts', import.meta.url).pathname
const ampleBytes = 64 * 1024 ** 2

/** What a server process over stdio is started with. */
export function stdioParameters(generation: Generation, maxBufferSize = ampleBytes) {
  const args = ['--import', 'tsx', stdioServer, String(generation), String(maxBufferSize)]
  return { command: process.execPath, args, stderr: 'inherit' as const }
}

/** A client of the service on its own signer. */
export function clientOf(service: Service, url = service.url): FileResolverClient {
  return createFileResolverClient({ url, signer: service.signer })
}

/** Options of a connection of workspace `acme`, server `reports`, user `ana`. */
export function optionsOf(
  resolver: FileResolverClient,
  options: Partial<ConnectionOptions> = {},
): ConnectionOptions {
  return { resolver, workspaceId: 'acme', serverId: 'reports', currentUser: () => 'ana', ...options }
}

/** Connects a host to a server; `maxMessageBytes` is the largest message that the server's reader accepts. */
export async function connect(
  generation: Generation,
  kind: Kind,
  options: ConnectionOptions,
  maxMessageBytes = ampleBytes,
): Promise<Rig> {
  const closing: (() => Promise<void>)[] = []
  const http = kind === 'http' ? await startHttpServer(generation, maxMessageBytes) : undefined
  if (http) closing.push(http.close)

  if (generation === 1) {
    const client = new Client1({ name: 'host', version: '1' })
    await createFileHost1(options).attach(client)
    const [near, far] = Memory1.createLinkedPair()
    if (kind === 'memory') await serve1(far)
    const stdio = () => new StdioClient1(stdioParameters(1, maxMessageBytes))
    await client.connect(http ? new HttpClient1(http.url) : kind === 'stdio' ? stdio() : near)
    closing.unshift(() => client.close())
    return rig((name, args) => client.callTool({ name, arguments: args }), closing)
  }
  const client = new Client2({ name: 'host', version: '1' })
  await createFileHost2(options).attach(client)
  const [near, far] = Memory2.createLinkedPair()
  if (kind === 'memory') await serve2(far)
  const stdio = () => new StdioClient2(stdioParameters(2, maxMessageBytes))
  await client.connect(http ? new HttpClient2(http.url) : kind === 'stdio' ? stdio() : near)
  closing.unshift(() => client.close())
  return rig((name, args) => client.callTool({ name, arguments: args }), closing)
}

/** Wraps a connected client. */
export function rig(
  callTool: (name: string, args: Record<string, unknown>) => Promise<object>,
  closing: readonly (() => Promise<void>)[] = [],
): Rig {
  return {
    async ask(method, params, timeoutMs) {
      const args = { method, ...(params ? { params } : {}), ...(timeoutMs ? { timeoutMs } : {}) }
      return seenIn(await callTool('ask', args))
    },
    async close() {
      for (const close of closing) await close()
    },
  }
}

/** What the tool's answer tells. */
export function seenIn(result: object): Seen {
  const { content } = result as { content: { text: string }[] }
  return JSON.parse(content[0]?.text ?? '{}')
}
