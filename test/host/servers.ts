/**
 * MCP servers of both SDK generations with one tool, `ask`: it sends a request to the host and tells what came back on
 * the wire, before the SDK made an error object of it.
 */
import { createHash } from 'node:crypto'
import { McpServer as Server1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServer as Server2, type Transport as Transport2 } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** What the server saw: an error as on the wire, or a result, large strings as their length and SHA-256. */
export interface Seen {
  error?: { code: number; message: string; data?: Record<string, unknown> }
  result?: Record<string, unknown>
  /** The host's capability, as advertised to the server. */
  capability?: Record<string, unknown>
  /** What the server's SDK threw. */
  thrown?: { name: string; code: number }
}

const Ask = {
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  timeoutMs: z.number().optional(),
}
const Anything = z.looseObject({})
const extensionKey = 'ai.nimblebrain/host-resources'

/** A server of SDK 1.x on the transport. */
export async function serve1(transport: Transport1): Promise<Server1> {
  const server = new Server1({ name: 'one', version: '1' })
  const errors = watch(transport)
  server.registerTool('ask', { inputSchema: Ask }, async ({ method, params, timeoutMs = 15_000 }, extra) => {
    const request = { method, ...(params ? { params } : {}) }
    const seen = await look(errors, () =>
      extra.sendRequest(request as never, Anything, { timeout: timeoutMs }),
    )
    return answer({ ...seen, ...capabilityOf(server.server.getClientCapabilities()) })
  })
  await server.connect(transport)
  return server
}

/** A server of SDK 2.x, not yet connected. */
export function createServer2(errors: () => unknown = () => undefined): Server2 {
  const server = new Server2({ name: 'two', version: '1' })
  server.registerTool(
    'ask',
    { inputSchema: z.object(Ask) },
    async ({ method, params, timeoutMs = 15_000 }, ctx) => {
      const request = { method, ...(params ? { params } : {}) }
      const seen = await look(errors, () => ctx.mcpReq.send(request, Anything, { timeout: timeoutMs }))
      return answer({ ...seen, ...capabilityOf(server.server.getClientCapabilities()) })
    },
  )
  return server
}

/** A server of SDK 2.x on the transport. */
export async function serve2(transport: Transport2): Promise<Server2> {
  const server = createServer2(watch(transport))
  await server.connect(transport)
  return server
}

/** Hands out each error once, as it came in. */
function watch(transport: { onmessage?: unknown }): () => unknown {
  const errors: unknown[] = []
  transport.onmessage = (message: object) => {
    if ('error' in message) errors.push(message.error)
  }
  return () => errors.pop()
}

async function look(errors: () => unknown, send: () => Promise<object>): Promise<object> {
  try {
    return { result: digested(await send()) }
  } catch (error) {
    const { name, code } = error as { name: string; code: number }
    return { error: errors(), thrown: { name, code } }
  }
}

function capabilityOf(capabilities: { extensions?: object | undefined } | undefined): object {
  const capability = Object.entries(capabilities?.extensions ?? {}).find(([key]) => key === extensionKey)?.[1]
  return capability === undefined ? {} : { capability }
}

function digested(result: object): unknown {
  return JSON.parse(JSON.stringify(result), (_key, value: unknown) =>
    typeof value === 'string' && value.length > 10_000 ? digest(value) : value,
  )
}

/** Length and SHA-256 of a string. */
export function digest(value: string): string {
  return `${value.length} ${createHash('sha256').update(value).digest('hex')}`
}

function answer(seen: object) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(seen) }] }
}
