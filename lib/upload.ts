/**
 * Uploads straight to the bucket, by a browser for instance: the host announces the file, with its tags and access, and
 * hands out a URL whose signature binds everything else: key, type, exact length, and that nothing is overwritten.
 */
import { acceptSize } from './accept.ts'
import type { FileStores } from './complete.ts'
import { limitExceeded } from './errors.ts'
import { fileType } from './media.ts'
import { announceFile, type NewFile } from './store.ts'

/** What the signature of an upload binds. */
export interface UploadTerms {
  readonly contentType: string
  readonly contentEncoding: string | undefined
  /** Exactly so many bytes. */
  readonly size: number
  readonly expiresInSec: number
}

/** Makes a signed URL for one PUT. */
export type Presign = (key: string, terms: UploadTerms) => Promise<string>

/** Where to send the bytes, with exactly these headers; a browser sets `content-length` itself. */
export interface Upload {
  readonly fileId: string
  readonly url: string
  readonly method: 'PUT'
  readonly headers: Readonly<Record<string, string>>
}

/** The longest that a URL may be valid. */
export const maxUploadSec = 3_600

/**
 * Announces a file of exactly `size` bytes and returns where to send them. It is visible from when it is indexed.
 * Throws `limit`, or `exists` when the id is taken.
 */
export async function createUpload(
  stores: Pick<FileStores, 'files'>,
  presign: Presign,
  input: NewFile & { readonly size: number },
  expiresInSec = 900,
): Promise<Upload> {
  const { contentEncoding } = input
  const size = acceptSize(input.size)
  if (!Number.isSafeInteger(expiresInSec) || expiresInSec < 1 || expiresInSec > maxUploadSec) {
    throw limitExceeded(`an upload URL must be valid for 1 to ${maxUploadSec} seconds`)
  }
  const contentType = fileType(input.type, input.name).text
  const { fileId, objectKey } = await announceFile(stores, input)
  const url = await presign(objectKey, { contentType, contentEncoding, size, expiresInSec })
  const headers = {
    'content-type': contentType,
    ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    'if-none-match': '*',
  }
  return { fileId, url, method: 'PUT', headers }
}
