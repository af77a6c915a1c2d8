/**
 * Completes a file: asks S3 for the object's present state, settles what a read needs to know, and writes item and
 * rows, conditional on the revision read before asking. Running it twice changes nothing.
 */
import { ResolverError } from './errors.ts'
import type { FileItem } from './file.ts'
import type { FileIndex } from './files.ts'
import type { ObjectStore } from './objects.ts'
import { repeatOnConflict } from './retry.ts'
import { settle } from './settle.ts'

/** Where files live, and up to which size a read will serve them. */
export interface FileStores {
  readonly files: FileIndex
  readonly objects: ObjectStore
  readonly maxReadBytes: number
}

/** Indexes the object of a pending or ready file as it is now. Throws `not-found` when file or object is not there. */
export function completeFile(stores: FileStores, workspaceId: string, fileId: string): Promise<FileItem> {
  const { files, objects, maxReadBytes } = stores
  return repeatOnConflict(async () => {
    const file = await files.get(workspaceId, fileId)
    if (!file || file.state === 'deleted') throw new ResolverError('not-found')
    const found = await objects.head(file.objectKey)
    if (!found) throw new ResolverError('not-found', { detail: 'the object is not in the bucket' })
    if (file.content?.versionId === found.versionId && file.content?.etag === found.etag) return file

    const content = await settle(objects, file.objectKey, found, file.name, maxReadBytes)
    if (!content) throw new ResolverError('conflict', { detail: 'the object changed meanwhile' })
    const ready: FileItem = { ...file, state: 'ready', content, revision: file.revision + 1 }
    await files.write(file, ready)
    return ready
  })
}
