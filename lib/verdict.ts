/**
 * What is to be done about a key, given the file item that was read first and the object that S3 then told of. Pure, so
 * that the indexer acts on it and a dry run of the reconciler only counts it.
 */
import type { FileItem } from './file.ts'
import { type ObjectName, parseObjectKey } from './keys.ts'
import { identifierPattern } from './limits.ts'
import type { StoredObject } from './objects.ts'

/** The facts that tell one version of an object from another. */
export type Version = Pick<StoredObject, 'etag' | 'versionId' | 'size'>

/**
 * - `nothing`: the index is right
 * - `index`: the object is new, changed, or there again
 * - `entomb`: the object is gone
 * - `finish-removal`: the host deleted the file, and its object is still there
 * - `refuse`: the object is there, and another key owns the file id
 */
export type Verdict = 'nothing' | 'index' | 'entomb' | 'finish-removal' | 'refuse'

/** Why an object with this key can never be a file, or whose it is. */
export function readKey(key: string): ObjectName | { readonly refused: string } {
  const place = parseObjectKey(key)
  if (!place) return { refused: 'the key is not files/<workspace>/<owner>/<file id>[/<name>]' }
  const isSomebody = identifierPattern.test(place.workspaceId) && identifierPattern.test(place.ownerId)
  return isSomebody ? place : { refused: 'workspace and owner must be 1 to 128 visible ASCII characters' }
}

/** Judges the key: `file` has its file id, `found` is the object's present state. */
export function judge(key: string, file: FileItem | undefined, found: Version | undefined): Verdict {
  if (file && file.objectKey !== key) return found ? 'refuse' : 'nothing'
  if (!found) return !file || file.state === 'ready' ? 'entomb' : 'nothing'
  if (file?.state === 'deleted' && file.deletedBy !== 'bucket') return 'finish-removal'
  return file?.state === 'ready' && isIndexed(file, found) ? 'nothing' : 'index'
}

/** True when the item's facts are those of this very version; a size that S3 does not repeat was not S3's. */
export function isIndexed({ content }: FileItem, { versionId, etag, size }: Version): boolean {
  return content?.versionId === versionId && content?.etag === etag && content?.storedSize === size
}
