/** Test servers over Streamable HTTP with sessions, of either SDK generation. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { WebStandardStreamableHTTPServerTransport as Http1 } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { WebStandardStreamableHTTPServerTransport as Http2 } from '@modelcontextprotocol/server'
import { serve1, serve2 } from './servers.ts'

/** A running server. */
export interface HttpServer {
  url: URL
  /** Forgets every session, as a restarted server does. */
  forget(): void
  /** When set, requests need this bearer token. */
  require(token: string): void
  close(): Promise<void>
}

/** Starts a server; `maxRequestBodySize` is the SDK's own option. */
export async function startHttpServer(generation: 1 | 2, maxRequestBodySize: number): Promise<HttpServer> {
  const sessions = new Map<string, { handleRequest(request: Request): Promise<Response> }>()
  let token: string | undefined
  const options = (remember: (id: string) => void) => ({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: remember,
    maxRequestBodySize,
  })

  async function open() {
    if (generation === 1) {
      const transport: Http1 = new Http1(options((id) => void sessions.set(id, transport)))
      await serve1(transport)
      return transport
    }
    const transport: Http2 = new Http2(options((id) => void sessions.set(id, transport)))
    await serve2(transport)
    return transport
  }

  async function handle(request: Request): Promise<Response> {
    if (token && request.headers.get('authorization') !== `Bearer ${token}`) {
      return new Response(null, { status: 401 })
    }
    const id = request.headers.get('mcp-session-id')
    if (id && !sessions.has(id)) return new Response(null, { status: 404 })
    return ((id && sessions.get(id)) || (await open())).handleRequest(request)
  }

  const server = serve({ fetch: handle, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    forget: () => sessions.clear(),
    require(given) {
      token = given
    },
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
