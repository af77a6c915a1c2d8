/**
 * Puts the bytes of an announced file where no others are: of several who store one file at once only the latest to
 * announce it goes on, and nobody overwrites what another was told is stored (decision 0012).
 */
import type { Readable } from 'node:stream'
import type { FileStores } from './complete.ts'
import { ResolverError } from './errors.ts'
import type { FileItem } from './file.ts'
import { fileType } from './media.ts'
import type { PutOptions, StoredObject, Version } from './objects.ts'

/** Each failure is a PUT of somebody who announced the file earlier; there are hardly ever so many. */
const maxAttempts = 30

/**
 * Stores the bytes under the file's key, over `left` (what was there when the file was announced, or nothing), and
 * returns their version. Throws `exists` when somebody else's are there, and a stream cannot be sent again.
 */
export async function deposit(
  stores: FileStores,
  pending: FileItem,
  left: StoredObject | undefined,
  body: Uint8Array | Readable,
  options: PutOptions,
): Promise<Version> {
  const { files, objects } = stores
  const { objectKey: key, workspaceId, fileId } = pending
  let expected = left
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const stored = await objects.put(key, body, { ...options, over: { etag: expected?.etag } })
    if (stored) return stored
    const found = await objects.head(key)
    if (!(body instanceof Uint8Array)) break
    if (found && (await isSame(stores, pending, found, body, options))) return found
    const present = await files.get(workspaceId, fileId) // after HEAD: what was found is of nobody later
    if (present?.attempt !== pending.attempt) break
    expected = found
  }
  throw idTaken(fileId)
}

/** Somebody else has the id, or is about to. */
export function idTaken(fileId: string): ResolverError {
  return new ResolverError('exists', { detail: `the id ${fileId} is taken in this workspace` })
}

/** True when the object is what was to be stored: sent by the SDK twice, or by somebody else the same. */
async function isSame(
  { objects }: FileStores,
  { objectKey: key, name }: FileItem,
  found: StoredObject,
  body: Uint8Array,
  { contentType, contentEncoding }: PutOptions,
): Promise<boolean> {
  const isTyped = fileType(found.contentType, name).text === fileType(contentType, name).text
  if (!isTyped || (found.contentEncoding ?? '') !== (contentEncoding ?? '')) return false
  if (found.size !== body.length) return false
  const chunks = await objects.open({ key, ...found })
  if (!chunks) return false
  let at = 0
  for await (const chunk of chunks) {
    if (Buffer.compare(chunk, body.subarray(at, at + chunk.length)) !== 0) return false
    at += chunk.length
  }
  return at === body.length
}
