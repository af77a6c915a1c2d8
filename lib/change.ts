/**
 * Changes of a stored file: tags, sharing, name. Each reads the item, decides, and writes item and rows together,
 * conditional on the revision; another writer in between means to decide again. In force when it returns.
 */
import { acceptIdentifier, acceptName, acceptRef, acceptRows, acceptTags } from './accept.ts'
import type { FileStores } from './complete.ts'
import { noSuchFile } from './errors.ts'
import { type FileItem, withFormerAudiences } from './file.ts'
import { repeatOnConflict } from './retry.ts'
import { acceptReaders } from './store.ts'

/** Which file of which workspace. */
export interface FileRef {
  readonly workspaceId: string
  readonly fileId: string
}

/** With whom to share, or to stop sharing: everyone in the workspace, or named users. */
export interface Sharing {
  readonly shared?: boolean
  readonly readers?: readonly string[]
}

type Stores = Pick<FileStores, 'files'>

/** Adds tags. Throws `not-found` or `limit`. */
export function tagFile(stores: Stores, ref: FileRef, tags: readonly string[]): Promise<FileItem> {
  return change(stores, ref, (file) => ({ ...file, tags: acceptTags([...file.tags, ...tags]) }))
}

/** Removes tags; those that it does not carry are no error. Throws `not-found`. */
export function untagFile(stores: Stores, ref: FileRef, tags: readonly string[]): Promise<FileItem> {
  const gone = new Set(tags.map((tag) => tag.normalize('NFC')))
  return change(stores, ref, (file) => ({ ...file, tags: file.tags.filter((tag) => !gone.has(tag)) }))
}

/** Replaces all tags at once. Throws `not-found` or `limit`. */
export function retagFile(stores: Stores, ref: FileRef, tags: readonly string[]): Promise<FileItem> {
  return change(stores, ref, (file) => ({ ...file, tags: acceptTags(tags) }))
}

/** Shares with everyone, with the readers, or both. Throws `not-found` or `limit`. */
export function shareFile(
  stores: Stores,
  ref: FileRef,
  { shared, readers = [] }: Sharing,
): Promise<FileItem> {
  return change(stores, ref, (file) => ({
    ...file,
    visibility: shared ? 'shared' : file.visibility,
    readers: acceptReaders([...file.readers, ...readers], file.ownerId),
  }))
}

/** Stops sharing with everyone, with the readers, or both. Throws `not-found`. */
export async function unshareFile(
  stores: Stores,
  ref: FileRef,
  { shared, readers = [] }: Sharing,
): Promise<FileItem> {
  const gone = new Set(readers.map((reader) => acceptIdentifier('reader', reader)))
  return change(stores, ref, (file) => ({
    ...file,
    visibility: shared ? 'private' : file.visibility,
    readers: file.readers.filter((reader) => !gone.has(reader)),
  }))
}

/** Gives the file another name; its key in S3 and its type stay. Throws `not-found` or `limit`. */
export function renameFile(stores: Stores, ref: FileRef, name: string): Promise<FileItem> {
  return change(stores, ref, (file) => ({ ...file, name: acceptName(name, file) }))
}

async function change(stores: Stores, ref: FileRef, decide: (file: FileItem) => FileItem): Promise<FileItem> {
  const { workspaceId, fileId } = acceptRef(ref)
  return repeatOnConflict(async () => {
    const file = await stores.files.get(workspaceId, fileId)
    if (!file || file.state === 'deleted') throw noSuchFile(ref)
    const changed = acceptRows(decide(file))
    const after = withFormerAudiences(file, { ...changed, revision: file.revision + 1 })
    await stores.files.write(file, after)
    return after
  })
}
