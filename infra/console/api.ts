/**
 * What the console's page asks for beside the resolver itself, in the host's place: tokens of the local key, storing and
 * changing files, and how full a token bucket is. Exists in `npm run dev` only.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { acceptCaller } from '../../lib/accept.ts'
import {
  type FileRef,
  renameFile,
  type Sharing,
  shareFile,
  tagFile,
  unshareFile,
  untagFile,
} from '../../lib/change.ts'
import type { FileStores } from '../../lib/complete.ts'
import type { Config } from '../../lib/config.ts'
import { ResolverError } from '../../lib/errors.ts'
import type { FileItem } from '../../lib/file.ts'
import { fileIdPattern } from '../../lib/keys.ts'
import { removeFile } from '../../lib/remove.ts'
import { storeFile } from '../../lib/store.ts'
import { type Signer, signToken } from '../../lib/token.ts'
import { describeFile } from '../cli/output.ts'
import { readLevel } from './level.ts'

/** What the API works with. */
export interface ApiDeps {
  readonly stores: FileStores
  readonly dynamo: DynamoDBClient
  readonly signer: Signer
  readonly config: Config
  readonly sampleCaller: { workspaceId: string; userId: string; serverId: string }
}

const tokenTtlSec = 300

/** The changes that can be made to a file, each with a list of values, as the CLI's commands of the same names. */
const changes: Record<string, (stores: FileStores, ref: FileRef, values: string[]) => Promise<FileItem>> = {
  tag: tagFile,
  untag: untagFile,
  rename: (stores, ref, [name = '']) => renameFile(stores, ref, name),
  share: (stores, ref, readers) => shareFile(stores, ref, sharing(readers)),
  unshare: (stores, ref, readers) => unshareFile(stores, ref, sharing(readers)),
}

const Caller = z.object({ workspace: z.string(), user: z.string(), server: z.string() })
const FileIds = z.object({ workspace: z.string(), ids: z.array(z.string().regex(fileIdPattern)).max(500) })
const Change = z.object({ workspace: z.string(), values: z.array(z.string()) })
const Upload = z.object({
  workspace: z.string(),
  owner: z.string(),
  name: z.string(),
  type: z.string().optional(),
})

/** The API, to be mounted behind its guards. */
export function createApi({ stores, dynamo, signer, config, sampleCaller }: ApiDeps): Hono {
  const api = new Hono()

  api.get('/context', (c) =>
    c.json({
      caller: {
        workspace: sampleCaller.workspaceId,
        user: sampleCaller.userId,
        server: sampleCaller.serverId,
      },
      maxReadBytes: config.maxReadBytes,
      rate: config.rate,
    }),
  )

  api.post('/token', async function token(c) {
    const { workspace, user, server } = Caller.parse(await c.req.json())
    const caller = acceptCaller({ workspaceId: workspace, userId: user, serverId: server })
    return c.json({ token: await signToken(signer, caller, tokenTtlSec), ttlSec: tokenTtlSec })
  })

  api.get('/level', async function level(c) {
    const caller = { workspaceId: c.req.query('workspace') ?? '', serverId: c.req.query('server') ?? '' }
    return c.json(await readLevel(dynamo, config.bucketsTable, config.rate, caller, Date.now()))
  })

  api.post('/describe', async function describe(c) {
    const { workspace, ids } = FileIds.parse(await c.req.json())
    const files = await Promise.all(ids.map((id) => stores.files.get(workspace, id)))
    return c.json(files.flatMap((file) => (file && file.state !== 'deleted' ? [describeFile(file)] : [])))
  })

  api.put('/files', async function upload(c) {
    const size = Number(c.req.header('content-length'))
    if (Number.isNaN(size)) {
      return c.json({ error: 'An upload must say in content-length how many bytes it has.' }, 411)
    }
    const { workspace, owner, ...named } = Upload.parse(c.req.query())
    const input = {
      ...named,
      workspaceId: workspace,
      ownerId: owner,
      tags: c.req.queries('tag') ?? [],
      shared: c.req.query('shared') !== undefined,
    }
    const bytes = size > 0 ? { stream: streamOf(c), size } : new Uint8Array()
    return c.json(describeFile(await storeFile(stores, input, bytes)), 201)
  })

  for (const [name, change] of Object.entries(changes)) {
    api.post(`/files/:id/${name}`, async function changeFile(c) {
      const { workspace, values } = Change.parse(await c.req.json())
      const ref = { workspaceId: workspace, fileId: c.req.param('id') }
      return c.json(describeFile(await change(stores, ref, values)))
    })
  }

  api.delete('/files/:id', async function remove(c) {
    await removeFile(stores, { workspaceId: c.req.query('workspace') ?? '', fileId: c.req.param('id') })
    return c.body(null, 204)
  })

  api.all('*', (c) => c.json({ error: 'The console has no such call.' }, 404))
  api.onError(failure)
  return api
}

/** With whom to share: the users named, or the whole workspace when none is. */
function sharing(readers: string[]): Sharing {
  return readers.length > 0 ? { readers } : { shared: true }
}

function streamOf(c: Context): Readable {
  const { body } = c.req.raw
  return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([])
}

const statuses: Partial<Record<string, 400 | 404 | 409>> = { limit: 400, 'not-found': 404, exists: 409 }

/** Failures that somebody at the console can do something about, in words; all others are the dev process's. */
function failure(error: Error, c: Context): Response {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return c.json({ error: `The console sent something malformed: ${error.message}` }, 400)
  }
  const status = error instanceof ResolverError ? (statuses[error.code] ?? 500) : 500
  return c.json({ error: error.message }, status)
}
