/**
 * The commands that ask the running resolver, over HTTP and as a caller, as a host would: ls, cat, token.
 */
import type { Command } from 'commander'
import * as z from 'zod'
import type { Caller } from '../../lib/access.ts'
import { wireErrors } from '../../lib/errors.ts'
import { listMethod, readMethod } from '../../lib/rpc.ts'
import { columns } from '../local/welcome.ts'
import type { Place } from './place.ts'
import { collect, fileIdOf, identifier, parseTtl, usageError, type WorkspaceOption } from './words.ts'
import type { Run } from './write.ts'

interface CallerOptions extends WorkspaceOption {
  user: string
  server: string
}

const Failure = z.object({
  error: z.object({
    code: z.number(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
})

const ReadResult = z.object({
  contents: z.tuple([
    z.object({
      uri: z.string(),
      mimeType: z.string(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  ]),
})

const ListResult = z.object({
  resources: z.array(z.object({ uri: z.string(), name: z.string(), mimeType: z.string(), size: z.number() })),
})

/** Adds ls, cat and token. */
export function addAskCommands(program: Command, run: Run): void {
  asCaller(program.command('ls'))
    .description('list what a user sees, through the resolver')
    .option('--type <type>', 'only this media type')
    .option('--tag <tag>', 'only files with this tag; repeat it for more', collect, [])
    .action((options: CallerOptions & { type?: string; tag: string[] }) =>
      run(async (place, output) => {
        const filter = {
          tags: options.tag,
          ...(options.type === undefined ? {} : { mimeType: options.type }),
        }
        const result = await ask(place, callerOf(options), listMethod, { _meta: { filter } })
        const { resources } = ListResult.parse(result)
        const rows = resources.map((r) => [r.uri, r.name, r.mimeType, String(r.size)])
        const [head = '', ...lines] = columns([['uri', 'name', 'type', 'bytes'], ...rows])
        output.line(['bold', head])
        for (const line of lines) output.line(line)
        output.json(resources)
      }),
    )

  asCaller(program.command('cat').argument('<uri>', 'files://…'))
    .description(
      'write a file to standard output, through the resolver: a text as UTF-8, whatever it is stored in',
    )
    .action((uri: string, options: CallerOptions) =>
      run(async (place, output) => {
        fileIdOf(uri)
        const result = await ask(place, callerOf(options), readMethod, { uri })
        const [contents] = ReadResult.parse(result).contents
        output.bytes(contents.text ?? Buffer.from(contents.blob ?? '', 'base64'))
        output.json(contents)
      }),
    )

  asCaller(program.command('token'))
    .description('print a token, signed with the local key')
    .option('--ttl <seconds>', 'how long it is valid, at most 900', parseTtl, 300)
    .action((options: CallerOptions & { ttl: number }) =>
      run(async (place, output) => {
        const token = await place.token(callerOf(options), options.ttl)
        output.line(token)
        output.json({ token })
      }),
    )
}

const remedies = new Map<number, string>([
  [wireErrors['not-found'].rpc, '"npm run files -- ls" shows what this user may see.'],
  [wireErrors['too-large'].rpc, 'It cannot be read through the resolver; its bytes are in the bucket.'],
  [wireErrors['rate-limited'].rpc, 'Wait for so many milliseconds, and try again.'],
  [wireErrors.unavailable.rpc, '"npm run files -- doctor" says what is wrong.'],
])

function asCaller(command: Command): Command {
  return command
    .requiredOption('--workspace <workspace>', 'workspace to act in', identifier('workspace'))
    .requiredOption('--user <user>', 'user to act for', identifier('user'))
    .option('--server <server>', 'MCP server that asks', identifier('server'), 'cli')
}

function callerOf({ workspace, user, server }: CallerOptions): Caller {
  return { workspaceId: workspace, userId: user, serverId: server }
}

/** The result of one call. Throws with the resolver's own message. */
async function ask(place: Place, caller: Caller, method: string, params: object): Promise<unknown> {
  const url = place.resolverUrl()
  const token = await place.token(caller, 60)
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }).catch((cause: unknown) => {
    throw new Error(`The resolver at ${url} does not answer.`, { cause })
  })
  if (response.status === 401) {
    throw new Error(
      'The resolver refuses the token: it has ended, or its key, issuer or audience is none that the resolver takes. ' +
        'Get a new one from your host; "npm run files -- doctor" examines it.',
    )
  }
  const answer: unknown = await response.json()
  const failure = Failure.safeParse(answer)
  if (!failure.success) return z.object({ result: z.unknown() }).parse(answer).result
  const { code, message, data } = failure.data.error
  const remedy = remedies.get(code)
  const told = `${message} (${code})${data ? ` ${JSON.stringify(data)}` : ''}${remedy ? `\n${remedy}` : ''}`
  throw code === wireErrors['invalid-params'].rpc ? usageError(told) : new Error(told)
}
