/**
 * What may be stored. Everything is checked before anything is written, so that a file is indexed whole or refused
 * with a sentence that says which limit it breaks, and never half.
 */
import type { Caller } from './access.ts'
import { limitExceeded } from './errors.ts'
import { countRows, type FileItem } from './file.ts'
import { fileIdPattern, objectKey } from './keys.ts'
import {
  identifierPattern,
  lastTimeMs,
  maxKeyBytes,
  maxPutBytes,
  maxRows,
  maxTagBytes,
  maxTagsBytes,
  maxTypeLength,
} from './limits.ts'
import { parseMediaType } from './media.ts'
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

/** The caller. Throws `limit` when the service would refuse a token for it. */
export function acceptCaller(caller: Caller): Caller {
  acceptIdentifier('workspace', caller.workspaceId)
  acceptIdentifier('user', caller.userId)
  acceptIdentifier('server', caller.serverId)
  return caller
}

/** The file id. Throws `limit` when it has neither form that hosts make. */
export function acceptFileId(fileId: string): string {
  if (fileIdPattern.test(fileId)) return fileId
  throw limitExceeded(
    'a file id is fl_ and 24 lower-case hex digits, or the legacy form fl_<base36>_<8 hex digits>',
  )
}

/** The file's place. Throws `limit` when workspace or file id can be nobody's. */
export function acceptRef<T extends { readonly workspaceId: string; readonly fileId: string }>(ref: T): T {
  acceptIdentifier('workspace', ref.workspaceId)
  acceptFileId(ref.fileId)
  return ref
}

/** True for a media type that can be kept, and sent in a header. */
export function isPossibleType(type: string): boolean {
  return /^[\x20-\x7e]+$/.test(type) && parseMediaType(type) !== undefined
}

/** The declared type, if any. Throws `limit` for what is no media type. */
export function acceptType(type: string | undefined): string | undefined {
  if (type === undefined || isPossibleType(type)) return type
  throw limitExceeded(
    `the type must be a media type such as text/plain, in ASCII and of at most ${maxTypeLength} characters`,
  )
}

/** The content encoding, if any. Throws `limit` for what cannot be sent in a header. */
export function acceptEncoding(encoding: string | undefined): string | undefined {
  if (encoding === undefined || (/^[\x20-\x7e]{1,255}$/.test(encoding) && encoding.trim() !== ''))
    return encoding
  throw limitExceeded('the content encoding must be a name such as gzip, in ASCII')
}

/** The size. Throws `limit` when one upload cannot have so many bytes. */
export function acceptSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0 && size <= maxPutBytes) return size
  throw limitExceeded(`the size must be a whole number of bytes, at most ${maxPutBytes}`)
}

/** The creation time in ISO 8601. Throws `limit` for one that listings could not order as text. */
export function acceptTime(epochMs: number): string {
  if (epochMs >= 0 && epochMs <= lastTimeMs) return new Date(epochMs).toISOString()
  throw limitExceeded('the creation time must be in milliseconds since 1970, from 1970 to 9999')
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
