/**
 * Moves one entry of a host's own store in: with its id, creation time, tags and visibility. Moving again changes
 * nothing; what was deleted, there or here, stays deleted.
 */
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isPossibleType } from './accept.ts'
import type { FileStores } from './complete.ts'
import { ResolverError } from './errors.ts'
import type { FileItem } from './file.ts'
import type { RegistryFile } from './registry.ts'
import { removeFile } from './remove.ts'
import { type NewBytes, storeFile } from './store.ts'

/** Whose entry it is, what it says, and where its bytes are; `present` is what is here of it. */
export interface Entry {
  readonly workspaceId: string
  readonly ownerId: string
  readonly id: string
  readonly file: RegistryFile | 'deleted'
  /** Undefined when there are none. */
  readonly path: string | undefined
  readonly present: FileItem | undefined
}

/** What became of an entry; `left` says why it could not be moved. */
export type Moved =
  | { readonly result: 'moved'; readonly size: number }
  /** It was here already. */
  | { readonly result: 'present' }
  /** It was deleted here, and stays so. */
  | { readonly result: 'deleted' }
  /** It was deleted there, and is now (or would be) deleted here too. */
  | { readonly result: 'removed' }
  /** It was deleted there, and is not here. */
  | { readonly result: 'tombstone' }
  | { readonly result: 'left'; readonly reason: string }

/** Smaller files are sent whole: that is faster than a stream. */
const maxWholeBytes = 1_048_576

/** Moves the entry, or in a dry run tells what would become of it. Throws only for storage trouble. */
export async function moveEntry(stores: FileStores, entry: Entry, dryRun: boolean): Promise<Moved> {
  const { workspaceId, ownerId, id, file, path, present } = entry
  if (present && present.ownerId !== ownerId) return left('the id belongs to another owner in this workspace')
  if (file === 'deleted') {
    if (!present || present.state === 'deleted') return { result: 'tombstone' }
    if (!dryRun) await removeFile(stores, { workspaceId, fileId: id })
    return { result: 'removed' }
  }
  if (present?.state === 'deleted') return { result: 'deleted' }
  if (present?.state === 'ready') return { result: 'present' }
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || !found?.isFile()) return left('its bytes are missing')
  const { size } = found
  if (file.size !== undefined && file.size !== size) {
    return left(`it has ${size} bytes on disk and ${file.size} in the registry`)
  }
  if (dryRun) return { result: 'moved', size }
  const input = {
    workspaceId,
    ownerId,
    fileId: id,
    name: file.filename || 'unnamed',
    type: file.mimeType && isPossibleType(file.mimeType) ? file.mimeType : undefined,
    tags: file.tags,
    shared: file.shared,
    createdAtMs: file.createdAtMs ?? Math.round(found.mtimeMs),
  }
  try {
    await storeFile(stores, input, await bytesOf(path, size))
    return { result: 'moved', size }
  } catch (error) {
    if (!(error instanceof ResolverError && ['limit', 'exists', 'not-found'].includes(error.code)))
      throw error
    return left(error.message)
  }
}

async function bytesOf(path: string, size: number): Promise<NewBytes> {
  return size <= maxWholeBytes ? readFile(path) : { stream: createReadStream(path), size }
}

function left(reason: string): Moved {
  return { result: 'left', reason }
}
