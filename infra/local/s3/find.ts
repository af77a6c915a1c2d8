/**
 * Finding the version that a request means, with S3's different answers for a key that never was, a deleted one, and a
 * version id that is unknown or no id at all.
 */

import type { Version } from './entries.ts'
import { invalidArgument, noSuchKey, S3Error } from './errors.ts'
import type { Bucket } from './state.ts'
import { latest, versionHeader } from './store.ts'

/** Throws 400 InvalidArgument when the text cannot be a version id. */
export function requireVersionId(text: string): void {
  if (text !== 'null' && !/^[\w.]{32}$/.test(text)) throw invalidArgument('Invalid version id specified')
}

/** The version with its bytes that a read asks for, or the refusal that S3 has for its absence. */
export function findVersion(
  bucket: Bucket,
  key: string,
  versionId: string | null,
): Version & { blob: string } {
  if (versionId !== null) requireVersionId(versionId)
  const versions = bucket.versions.get(key)
  const version =
    versionId === null ? latest(bucket, key) : versions?.find((each) => each.versionId === versionId)
  if (!version && versionId !== null) {
    const detail = { Key: key, VersionId: versionId }
    throw new S3Error(404, 'NoSuchVersion', 'The specified version does not exist.', {}, detail)
  }
  if (!version) throw noSuchKey(key)
  if (version.blob !== undefined) return { ...version, blob: version.blob }
  const headers = { 'x-amz-delete-marker': 'true', ...versionHeader(bucket, version) }
  if (versionId === null) throw noSuchKey(key, headers)
  throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    ...headers,
    allow: 'DELETE',
    'last-modified': new Date(version.modifiedMs).toUTCString(),
  })
}
