/**
 * An MCP server with one tool that takes a file by reference or its text inline, so that it works on any host:
 * `server.ts stdio` or `server.ts http`.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { McpError, ReadResourceResultSchema } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'

const extension = 'ai.nimblebrain/host-resources'
const Capability = z.looseObject({ read: z.looseObject({ enabled: z.boolean() }) })
const Throttled = z.object({ retryAfterMs: z.number() })

function build(): McpServer {
  const server = new McpServer({ name: 'summaries', version: '1.0.0' })
  const inputSchema = { file_uri: z.string().optional(), text: z.string().optional() }
  const description = 'Summarize a document. Pass file_uri for a workspace file, or text inline.'

  server.registerTool('summarize', { description, inputSchema }, async ({ file_uri: uri, text }, extra) => {
    if (uri === undefined) return say(text === undefined ? 'Pass file_uri or text.' : summary(text))
    const offered = Capability.safeParse(server.server.getClientCapabilities()?.extensions?.[extension])
    if (!offered.data?.read.enabled)
      return say('This host cannot read files by URI. Pass the content as `text`.')
    try {
      const request = { method: 'ai.nimblebrain/resources/read', params: { uri } }
      // the SDK's types list only the requests of MCP itself
      const { contents } = await extra.sendRequest(request as never, ReadResourceResultSchema)
      const [content] = contents
      if (!content || !('text' in content)) return say('summarize reads text files, and this one is binary.')
      return say(summary(content.text))
    } catch (error) {
      return say(explain(error))
    }
  })
  return server
}

function summary(text: string): string {
  const lines = text.split('\n').filter(Boolean)
  return `${lines.length} lines, ${text.length} characters, beginning "${lines[0]}"`
}

function explain(error: unknown): string {
  if (!(error instanceof McpError)) throw error
  if (error.code === -32002) return 'There is no such file for you.'
  if (error.code === -32005) return 'The file is too large to be read.'
  const throttled = error.code === -32004 ? Throttled.safeParse(error.data).data : undefined
  if (throttled) return `Too many reads: try again in ${throttled.retryAfterMs} ms.`
  return `The file could not be read (${error.code}).`
}

function say(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

/** Sessions are needed: without them a server cannot ask the host anything. */
function serveHttp(): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']))
    if (known) return known.handleRequest(req, res)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await build().connect(transport)
    return transport.handleRequest(req, res)
  })
  http.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
  })
}

if (process.argv[2] === 'http') serveHttp()
else await build().connect(new StdioServerTransport())
