/**
 * What may be stored. Everything is checked before anything is written, so that a file is indexed whole or refused
 * with a sentence that says which limit it breaks, and never half.
 */
import { limitExceeded } from './errors.ts'
import { countRows, type FileItem } from './file.ts'
import { fileIdPattern, objectKey } from './keys.ts'
import { identifierPattern, maxKeyBytes, maxRows, maxTagBytes, maxTagsBytes } from './limits.ts'
import { isPossibleTag } from './params.ts'

/** The tags in NFC, in order, each once. Throws `limit` for a tag that is empty or too long, and for too many together. */
export function acceptTags(tags: readonly string[]): string[] {
  const accepted = [...new Set(tags.map((tag) => tag.normalize('NFC')))].sort()
  const bad = accepted.find((tag) => !isPossibleTag(tag))
  if (bad !== undefined) {
    throw limitExceeded(
      `a tag must be 1 to ${maxTagBytes} bytes of well-formed Unicode, and ${JSON.stringify(bad.slice(0, 40))} is not`,
    )
  }
  const bytes = accepted.reduce((sum, tag) => sum + Buffer.byteLength(tag), 0)
  if (bytes > maxTagsBytes) throw limitExceeded(`the tags take ${bytes} bytes, at most ${maxTagsBytes} fit`)
  return accepted
}

/** The identifier. Throws `limit` when it is not 1–128 visible ASCII characters; `what` names it. */
export function acceptIdentifier(what: string, identifier: string): string {
  if (identifierPattern.test(identifier)) return identifier
  throw limitExceeded(`the ${what} must be 1 to 128 visible ASCII characters without spaces`)
}

/** The file id. Throws `limit` when it has neither form that hosts make. */
export function acceptFileId(fileId: string): string {
  if (fileIdPattern.test(fileId)) return fileId
  throw limitExceeded(
    'a file id is fl_ and 24 lower-case hex digits, or the legacy form fl_<base36>_<8 hex digits>',
  )
}

/** The name. Throws `limit` when it is empty or broken Unicode, or makes too long a key for S3. */
export function acceptName(
  name: string,
  place: { workspaceId: string; ownerId: string; fileId: string },
): string {
  if (name === '' || !name.isWellFormed())
    throw limitExceeded('a file name must be well-formed Unicode and not empty')
  const bytes = Buffer.byteLength(objectKey({ ...place, name }))
  if (bytes > maxKeyBytes) {
    throw limitExceeded(`the name is too long: its S3 key takes ${bytes} bytes, at most ${maxKeyBytes} fit`)
  }
  return name
}

/** The file. Throws `limit` when its audiences times its facets are more rows than one transaction can change. */
export function acceptRows<T extends Pick<FileItem, 'ownerId' | 'visibility' | 'readers' | 'tags'>>(
  file: T,
): T {
  const rows = countRows(file)
  if (rows <= maxRows) return file
  throw limitExceeded(
    `(owner + readers + 1 if shared) × (2 + tags) is ${rows}, at most ${maxRows} fit: use fewer tags, or share with everyone instead of many readers`,
  )
}
