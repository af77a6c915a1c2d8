/**
 * Starts a server program and gives the transport to it: over stdio, or over Streamable HTTP, where the program prints
 * its URL as its first line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** A program that takes `stdio` or `http` as its last argument. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

/** The transport to a new server process over stdio. */
export function overStdio({ command, args }: Program): StdioClientTransport {
  return new StdioClientTransport({ command, args: [...args, 'stdio'], stderr: 'ignore' })
}

/** The transport to a new server process over HTTP, and what ends the process. */
export async function overHttp({ command, args }: Program) {
  const child = spawn(command, [...args, 'http'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('the server ended')))
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), exited])
  exited.catch(() => {}) // its end is wanted from here on
  return { transport: new StreamableHTTPClientTransport(new URL(String(url))), stop: () => child.kill() }
}
