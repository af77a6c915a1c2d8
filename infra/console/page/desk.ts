/**
 * The console's own API, which stands in for the host: tokens, storing and changing files, token buckets.
 */
import * as z from 'zod/mini'
import { type Caller, Context, Details, Level } from './wire.ts'

const Problem = z.object({ error: z.string() })

async function ask<T>(schema: z.ZodMiniType<T>, path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`/console/api${path}`, {
    ...init,
    headers: { 'x-file-console': '1', ...init.headers },
  })
  const body: unknown = response.status === 204 ? undefined : await response.json()
  if (response.ok) return schema.parse(body)
  const problem = Problem.safeParse(body)
  throw new Error(problem.success ? problem.data.error : `The dev service answered ${response.status}.`)
}

function post<T>(schema: z.ZodMiniType<T>, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return ask(schema, path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The sample caller and the limits in force. */
export function loadContext(): Promise<Context> {
  return ask(Context, '/context')
}

/** Tokens are valid for five minutes; a host uses one for a while, and so does the page. */
const reuseMs = 120_000
let latest: { who: string; token: string; signedAt: number } | undefined

/** A token for the caller, signed with the local key. */
export async function tokenOf(caller: Caller): Promise<string> {
  const who = JSON.stringify(caller)
  if (latest?.who === who && performance.now() - latest.signedAt < reuseMs) return latest.token
  const signedAt = performance.now()
  const { token } = await post(z.object({ token: z.string() }), '/token', caller)
  latest = { who, token, signedAt }
  return token
}

/** How full the bucket of the caller's server is. */
export function loadLevel({ workspace, server }: Caller): Promise<Level> {
  return ask(Level, `/level?${new URLSearchParams({ workspace, server })}`)
}

/** What the host knows of files; those that are gone are left out. */
export function describe(workspace: string, uris: readonly string[]): Promise<Details[]> {
  return post(z.array(Details), '/describe', { workspace, ids: uris.map(idOf) })
}

/** What an upload declares beside its bytes. */
export interface UploadOptions {
  readonly name: string
  readonly type: string
  readonly tags: readonly string[]
  readonly shared: boolean
}

/** Stores a file that belongs to the caller's user. */
export function upload(caller: Caller, bytes: Blob, options: UploadOptions): Promise<Details> {
  const query = new URLSearchParams({ workspace: caller.workspace, owner: caller.user, name: options.name })
  if (options.type) query.set('type', options.type)
  if (options.shared) query.set('shared', '')
  for (const tag of options.tags) query.append('tag', tag)
  return ask(Details, `/files?${query}`, { method: 'PUT', body: bytes })
}

/** The changes of a file; without values, `share` and `unshare` mean the whole workspace. */
export type Change = 'tag' | 'untag' | 'rename' | 'share' | 'unshare'

/** Changes a file, in force when it resolves. */
export function change(
  workspace: string,
  uri: string,
  name: Change,
  values: readonly string[],
): Promise<Details> {
  return post(Details, `/files/${idOf(uri)}/${name}`, { workspace, values })
}

/** Deletes a file. */
export async function remove(workspace: string, uri: string): Promise<void> {
  const query = new URLSearchParams({ workspace })
  await ask(z.undefined(), `/files/${idOf(uri)}?${query}`, { method: 'DELETE' })
}

function idOf(uri: string): string {
  return uri.slice('files://'.length)
}
