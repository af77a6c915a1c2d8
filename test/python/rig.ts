/** A host with a Python server on the other end, over stdio or Streamable HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { PythonMissing, type PythonSet, pythonFor } from '../../infra/host/python.ts'
import type { ConnectionOptions } from '../../lib/host/connection.ts'
import { createFileHost as createFileHost1 } from '../../lib/host/sdk1.ts'
import { createFileHost as createFileHost2 } from '../../lib/host/sdk2.ts'
import { seenIn } from '../host/rig.ts'
import type { Seen } from '../host/servers.ts'

/** How the server is served; `roomy` takes messages of any size over HTTP. */
export type PythonKind = 'stdio' | 'http' | 'roomy' | 'stateless'

/** A connected pair. */
export interface PythonRig {
  call(tool: string, args?: Record<string, unknown>): Promise<Seen>
  close(): Promise<void>
}

const script = new URL('./server.py', import.meta.url).pathname

/** The interpreter, or undefined where there can be none; CI must not pass without. */
export async function interpreter(set: PythonSet): Promise<string | undefined> {
  try {
    return await pythonFor(set)
  } catch (error) {
    if (!(error instanceof PythonMissing) || process.env.CI === 'true') throw error
    console.warn(`The tests of Python servers are skipped. ${error.message}`)
    return undefined
  }
}

/** Starts the server and connects a host to it. */
export async function connectPython(
  python: string,
  generation: 1 | 2,
  kind: PythonKind,
  options: ConnectionOptions,
): Promise<PythonRig> {
  const server = kind === 'stdio' ? undefined : await startHttp(python, kind)
  const parameters = { command: python, args: [script, 'stdio'], stderr: 'ignore' as const }
  const close = async (client: Client1 | Client2) => {
    await client.close()
    server?.process.kill()
  }

  if (generation === 1) {
    const client = new Client1({ name: 'host', version: '1' })
    await createFileHost1(options).attach(client)
    await client.connect(server ? new Http1(server.url) : new Stdio1(parameters))
    return {
      call: async (name, args = {}) => seenIn(await client.callTool({ name, arguments: args })),
      close: () => close(client),
    }
  }
  const client = new Client2({ name: 'host', version: '1' })
  await createFileHost2(options).attach(client)
  await client.connect(server ? new Http2(server.url) : new Stdio2(parameters))
  return {
    call: async (name, args = {}) => seenIn(await client.callTool({ name, arguments: args })),
    close: () => close(client),
  }
}

async function startHttp(python: string, kind: PythonKind): Promise<{ url: URL; process: ChildProcess }> {
  const child = spawn(python, [script, kind], { stdio: ['ignore', 'pipe', 'ignore'] })
  process.once('exit', () => child.kill()) // also when a test fails before it closes
  const [line] = await once(createInterface(child.stdout), 'line')
  return { url: new URL(String(line)), process: child }
}
