/**
 * `files call`: a host for one call. It starts an MCP server over stdio, offers it the user's files, calls one of its
 * tools, and prints what the tool answers: the shortest way to see a server of one's own read a file.
 */
import type { Command } from 'commander'
import * as z from 'zod'
import { createFileResolverClient } from '../../lib/host/client.ts'
import { createFileHost } from '../../lib/host/sdk1.ts'
import type { Output } from './output.ts'
import type { Place } from './place.ts'
import { identifier, usageError, type WorkspaceOption, workspaceOption } from './words.ts'
import type { Run } from './write.ts'

interface CallOptions extends WorkspaceOption {
  user: string
  server: string
}

const Arguments = z.record(z.string(), z.unknown())
const Result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
})

/** Adds call. */
export function addCallCommand(program: Command, run: Run): void {
  program
    .command('call')
    .argument('<tool>', 'tool to call')
    .argument('<arguments>', 'its arguments, as a JSON object')
    .argument('<command...>', 'what starts the server over stdio, after --')
    .description('call a tool of an MCP server that may read the files of a user')
    .requiredOption(...workspaceOption)
    .requiredOption('--user <user>', 'user on whose behalf the tool runs', identifier('user'))
    .option('--server <server>', 'what the host calls the server', identifier('server'), 'cli')
    .action((tool: string, json: string, command: string[], options: CallOptions) =>
      run((place, output) => call(place, output, { tool, args: parseArguments(json), command, options })),
    )
}

interface Call {
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly command: readonly string[]
  readonly options: CallOptions
}

async function call(place: Place, output: Output, { tool, args, command, options }: Call): Promise<void> {
  // the SDK is large, and no other command needs it
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const resolver = createFileResolverClient({
    url: place.resolverUrl(),
    token: (caller) => place.token(caller, 300),
  })
  const { workspace: workspaceId, server: serverId, user } = options
  const files = createFileHost({ resolver, workspaceId, serverId, currentUser: () => user })
  const client = new Client({ name: 'files-call', version: '1.0.0' })
  await files.attach(client)
  const [executable = '', ...rest] = command
  await client
    .connect(new StdioClientTransport({ command: executable, args: rest }))
    .catch((cause: Error) => {
      throw new Error(
        `"${command.join(' ')}" does not become an MCP server: ${cause.message}. ` +
          'It has to speak MCP on standard input and output, and to say all else on standard error.',
        { cause },
      )
    })
  try {
    const result = Result.parse(await client.callTool({ name: tool, arguments: args }))
    for (const { type, text = `(${type})` } of result.content) {
      for (const line of text.split('\n')) output.line(line)
    }
    output.json(result)
    if (!result.isError) return
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    if (names.includes(tool)) throw new Error(`The tool ${tool} reports an error.`)
    throw new Error(`The server has no tool ${tool}. It has: ${names.join(', ')}.`)
  } finally {
    await client.close()
  }
}

function parseArguments(json: string): Record<string, unknown> {
  try {
    return Arguments.parse(JSON.parse(json))
  } catch {
    throw usageError(`the arguments must be a JSON object, such as '{"file_uri":"files://fl_…"}'`)
  }
}
