/**
 * Brings the index of one key in line with its object: reads the item, asks S3 for the object's present state, and
 * writes conditional on the revision that was read before asking. After a write S3 is asked again, for another indexer
 * may have found the index right just before it became wrong. Running it twice changes nothing.
 */
import { acceptRef } from './accept.ts'
import { ResolverError, unavailable } from './errors.ts'
import type { FileItem } from './file.ts'
import type { FileIndex } from './files.ts'
import type { ObjectName } from './keys.ts'
import { tombstoneSec } from './limits.ts'
import type { ObjectStore, StoredObject } from './objects.ts'
import { repeatOnConflict } from './retry.ts'
import { settle } from './settle.ts'
import { isIndexed, judge, readKey } from './verdict.ts'

/** Where files live, and up to which size a read will serve them. */
export interface FileStores {
  readonly files: FileIndex
  readonly objects: ObjectStore
  readonly maxReadBytes: number
}

/** What came of a key: its file, if it has one, and whether anything had to be done. */
export type Outcome =
  | { readonly result: 'unchanged' | 'indexed' | 'removed'; readonly file: FileItem | undefined }
  | { readonly result: 'refused'; readonly reason: string }

/** An object that is overwritten this often while it is indexed is left to the events of its later versions. */
const maxRounds = 20

/** Brings the index of the key in line with its object, and finishes the deletion of a file that the host deleted. */
export async function completeKey(stores: FileStores, key: string): Promise<Outcome> {
  const place = readKey(key)
  if (!('refused' in place)) return repeatOnConflict(() => agree(stores, key, place))
  const found = await stores.objects.head(key)
  return found ? { result: 'refused', reason: place.refused } : { result: 'unchanged', file: undefined }
}

/** The file whose object has been stored, as it is indexed. Throws `not-found` when file or object is not there. */
export async function completeFile(
  stores: FileStores,
  workspaceId: string,
  fileId: string,
): Promise<FileItem> {
  const ref = acceptRef({ workspaceId, fileId })
  const announced = await stores.files.get(ref.workspaceId, ref.fileId)
  if (!announced) throw new ResolverError('not-found')
  return completeObject(stores, announced.objectKey)
}

/** The same for who knows the key. */
export async function completeObject(stores: FileStores, key: string): Promise<FileItem> {
  const outcome = await completeKey(stores, key)
  if (outcome.result !== 'refused' && outcome.file?.state === 'ready') return outcome.file
  throw new ResolverError('not-found', { detail: 'the object is not in the bucket' })
}

async function agree(stores: FileStores, key: string, place: ObjectName): Promise<Outcome> {
  let file = await stores.files.get(place.workspaceId, place.fileId)
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await stores.objects.head(key)
    const verdict = judge(key, file, found)
    if (verdict === 'refuse') {
      return { result: 'refused', reason: `another key owns the file id: ${file?.objectKey}` }
    }
    if (verdict === 'nothing') {
      const done = file?.state === 'ready' ? 'indexed' : 'removed'
      return { result: round === 0 ? 'unchanged' : done, file }
    }
    if (verdict === 'finish-removal') await stores.objects.remove(key)
    else file = await writeAs(found, stores, key, place, file)
  }
  throw unavailable('The object changes faster than it can be indexed')
}

/** The item that says what was found, written; or the one that was there, if the object changed while it was read. */
async function writeAs(
  found: StoredObject | undefined,
  { files, objects, maxReadBytes }: FileStores,
  key: string,
  place: ObjectName,
  before: FileItem | undefined,
): Promise<FileItem | undefined> {
  const file = before ?? unknownFile(key, place)
  const revision = file.revision + 1
  if (!found) {
    const expiresAtSec = Math.ceil(Date.now() / 1_000) + tombstoneSec
    const tombstone: FileItem = { ...file, state: 'deleted', deletedBy: 'bucket', expiresAtSec, revision }
    await files.write(before, tombstone)
    return tombstone
  }
  const known = isIndexed(file, found) ? file.content : undefined
  const content = known ?? (await settle(objects, key, found, file.name, maxReadBytes))
  if (!content) return before
  const createdAt = isFirstSeen(file) ? found.lastModified.toISOString() : file.createdAt
  const ready: FileItem = {
    ...file,
    state: 'ready',
    content,
    createdAt,
    revision,
    deletedBy: undefined,
    expiresAtSec: undefined,
  }
  await files.write(before, ready)
  return ready
}

/** A file of which nothing is known but its key: private to the owner, without tags. */
function unknownFile(key: string, { workspaceId, ownerId, fileId, name }: ObjectName): FileItem {
  return {
    workspaceId,
    ownerId,
    fileId,
    name: name ?? fileId,
    state: 'deleted',
    deletedBy: 'bucket',
    createdAt: new Date(0).toISOString(),
    tags: [],
    visibility: 'private',
    readers: [],
    formerReaders: [],
    formerlyShared: false,
    objectKey: key,
    revision: 0,
    content: undefined,
    expiresAtSec: undefined,
  }
}

/** Its object was never indexed and nobody announced it, so the object's own date is the only one. */
function isFirstSeen(file: FileItem): boolean {
  return file.state === 'deleted' && file.content === undefined
}
