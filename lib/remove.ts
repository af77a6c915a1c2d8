/**
 * Deletes a file: the tombstone first, from which moment nobody sees it, then the object. Whoever comes later, a
 * second deletion or an indexer, finishes what a crash in between left. This deletion is for good.
 */
import { acceptRef } from './accept.ts'
import type { FileRef } from './change.ts'
import type { FileStores } from './complete.ts'
import { noSuchFile } from './errors.ts'
import { tombstoneSec } from './limits.ts'
import { repeatOnConflict } from './retry.ts'

/** Deletes the file and its object. Throws `not-found` when there is none (any more). */
export async function removeFile(stores: Pick<FileStores, 'files' | 'objects'>, ref: FileRef): Promise<void> {
  const { files, objects } = stores
  const { workspaceId, fileId } = acceptRef(ref)
  const file = await repeatOnConflict(async () => {
    const present = await files.get(workspaceId, fileId)
    if (!present || (present.state === 'deleted' && present.deletedBy !== 'bucket')) return present
    const expiresAtSec = Math.ceil(Date.now() / 1_000) + tombstoneSec
    const revision = present.revision + 1
    await files.write(present, { ...present, state: 'deleted', deletedBy: 'host', expiresAtSec, revision })
    return present
  })
  if (file) await objects.remove(file.objectKey)
  if (!file || file.state === 'deleted') throw noSuchFile(ref)
}
