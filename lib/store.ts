/**
 * Stores a file: a pending item that carries tags and access and is visible to nobody, then the object, then the
 * completed item with its rows. A crash in between leaves nothing visible, and storing the same id again resumes.
 */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  acceptEncoding,
  acceptFileId,
  acceptIdentifier,
  acceptName,
  acceptRows,
  acceptSize,
  acceptTags,
  acceptTime,
  acceptType,
} from './accept.ts'
import { completeObject, type FileStores } from './complete.ts'
import { deposit, idTaken } from './deposit.ts'
import { ResolverError } from './errors.ts'
import type { FileItem } from './file.ts'
import { objectKey } from './keys.ts'
import { pendingSec } from './limits.ts'
import type { StoredObject } from './objects.ts'
import { repeatOnConflict } from './retry.ts'

/** A file to store. What is absent of access is private. */
export interface NewFile {
  readonly workspaceId: string
  readonly ownerId: string
  readonly name: string
  /** A fresh id of the current form if absent. */
  readonly fileId?: string | undefined
  /** Declared media type; from the name if absent. */
  readonly type?: string | undefined
  /** `gzip` for bytes that are compressed and to be served decoded. */
  readonly contentEncoding?: string | undefined
  readonly tags?: readonly string[]
  readonly shared?: boolean
  /** Users, besides the owner, who may read it. */
  readonly readers?: readonly string[]
  /** Epoch milliseconds; now if absent. */
  readonly createdAtMs?: number
}

/** The bytes to store: all at once, or a stream whose length is known. */
export type NewBytes = Uint8Array | { readonly stream: Readable; readonly size: number }

/** A new file id: `fl_` and 24 hex digits, as hosts make them. */
export function newFileId(): string {
  return `fl_${randomBytes(12).toString('hex')}`
}

/** Stores the file, closes its source, and returns it as it is indexed. Throws `limit`, or `exists` for a taken id. */
export async function storeFile(stores: FileStores, input: NewFile, bytes: NewBytes): Promise<FileItem> {
  const body = bytes instanceof Uint8Array ? bytes : bytes.stream
  let broken: Error | undefined
  if (!(body instanceof Uint8Array)) {
    body.on('error', (error) => {
      broken = error // heard from now on, also before anybody reads
    })
  }
  try {
    const size = acceptSize(bytes instanceof Uint8Array ? bytes.length : bytes.size)
    const { pending, left } = await announce(stores, input, (key) => stores.objects.head(key))
    if (broken) throw broken
    const stored = await deposit(stores, pending, left, body, {
      size,
      contentType: input.type,
      contentEncoding: input.contentEncoding,
    })
    const file = await completeObject(stores, pending.objectKey)
    const isMine = file.attempt === pending.attempt && file.content?.versionId === stored.versionId
    if (isMine && file.content?.etag === stored.etag) return file
    throw idTaken(pending.fileId)
  } finally {
    if (!(body instanceof Uint8Array)) body.destroy() // nobody else closes the file of what was not read to its end
  }
}

/** Writes the pending item of a file that is about to be uploaded. Throws `limit`, or `exists` when the id is taken. */
export async function announceFile(stores: Pick<FileStores, 'files'>, input: NewFile): Promise<FileItem> {
  const { pending } = await announce(stores, input, async () => undefined)
  return pending
}

/** The pending item, written, and what an earlier attempt has left under its key. */
interface Announced {
  readonly pending: FileItem
  readonly left: StoredObject | undefined
}

/** `look` is asked before the item is written, so that what it finds is of nobody who announces the file later. */
async function announce(
  { files }: Pick<FileStores, 'files'>,
  input: NewFile,
  look: (key: string) => Promise<StoredObject | undefined>,
): Promise<Announced> {
  const fresh = pendingFile(input)
  try {
    await files.write(undefined, fresh)
    return { pending: fresh, left: undefined }
  } catch (error) {
    if (!(error instanceof ResolverError && error.code === 'conflict')) throw error
  }
  return repeatOnConflict(async () => {
    const present = await files.get(fresh.workspaceId, fresh.fileId)
    if (present && !mayResume(present, fresh)) throw idTaken(fresh.fileId)
    const left = await look(fresh.objectKey)
    const { createdAt, revision } = present ?? { createdAt: fresh.createdAt, revision: 0 }
    const pending = { ...fresh, createdAt, revision: revision + 1 }
    await files.write(present, pending)
    return { pending, left }
  })
}

/**
 * What was announced may be announced anew, but for nobody more: the first upload may still be under way, and its bytes
 * would come under the second's access.
 */
function mayResume(present: FileItem, pending: FileItem): boolean {
  if (present.state !== 'pending' || present.objectKey !== pending.objectKey) return false
  if (present.visibility === 'shared') return true
  return pending.visibility === 'private' && pending.readers.every((user) => present.readers.includes(user))
}

/** The item of a file that is announced. Throws `limit` for what could never be stored. */
export function pendingFile(input: NewFile): FileItem {
  const workspaceId = acceptIdentifier('workspace', input.workspaceId)
  const ownerId = acceptIdentifier('owner', input.ownerId)
  const fileId = acceptFileId(input.fileId ?? newFileId())
  const place = { workspaceId, ownerId, fileId }
  const name = acceptName(input.name, place)
  acceptType(input.type)
  acceptEncoding(input.contentEncoding)
  return acceptRows({
    ...place,
    state: 'pending',
    name,
    createdAt: acceptTime(input.createdAtMs ?? Date.now()),
    tags: acceptTags(input.tags ?? []),
    visibility: input.shared ? 'shared' : 'private',
    readers: acceptReaders(input.readers ?? [], ownerId),
    objectKey: objectKey({ ...place, name }),
    revision: 1,
    content: undefined,
    attempt: randomBytes(12).toString('hex'),
    formerReaders: [],
    formerlyShared: false,
    expiresAtSec: Math.ceil(Date.now() / 1_000) + pendingSec,
  })
}

/** The readers in order, each once and without the owner, who may read anyway. */
export function acceptReaders(readers: readonly string[], ownerId: string): string[] {
  const users = new Set(readers.map((reader) => acceptIdentifier('reader', reader)))
  users.delete(ownerId)
  return [...users].sort()
}
