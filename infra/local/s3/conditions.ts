/**
 * Conditional requests: reads after RFC 9110 section 13, where an entity tag beats a date; writes as S3 defines them.
 */
import type { HeaderMap } from './call.ts'
import type { Version } from './entries.ts'
import { noSuchKey, notImplemented, preconditionFailed, S3Error } from './errors.ts'

const sourcePrefix = 'x-amz-copy-source-'

/** Throws 412 or 304 when a read's conditions do not hold for the version. */
export function checkRead(headers: HeaderMap, version: Version): void {
  const failed = failedCondition(headers, '', version)
  if (failed === undefined) return
  if (failed === 'If-Match' || failed === 'If-Unmodified-Since') throw preconditionFailed(failed)
  throw new S3Error(304, 'NotModified', 'Not Modified', {
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.modifiedMs).toUTCString(),
  })
}

/** Throws 412 when a copy's conditions do not hold for its source. */
export function checkCopySource(headers: HeaderMap, source: Version): void {
  const failed = failedCondition(headers, sourcePrefix, source)
  if (failed !== undefined) throw preconditionFailed(sourcePrefix + failed)
}

/** Throws when a write's conditions do not hold for what the key is now. */
export function checkWrite(headers: HeaderMap, key: string, current: Version | undefined): void {
  const ifNoneMatch = headers['if-none-match']
  const ifMatch = headers['if-match']
  const exists = current?.blob !== undefined
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*')
    throw notImplemented('If-None-Match with an entity tag on a write')
  if (ifNoneMatch !== undefined && exists) throw preconditionFailed('If-None-Match')
  if (ifMatch === undefined) return
  if (!exists) throw noSuchKey(key)
  if (!matches(ifMatch, current.etag)) throw preconditionFailed('If-Match')
}

function failedCondition(headers: HeaderMap, prefix: string, version: Version): string | undefined {
  const { modifiedMs } = version
  const ifMatch = headers[`${prefix}if-match`]
  const unmodifiedSince = parseDate(headers[`${prefix}if-unmodified-since`])
  if (ifMatch !== undefined && !matches(ifMatch, version.etag)) return 'If-Match'
  if (ifMatch === undefined && unmodifiedSince !== undefined && modifiedMs > unmodifiedSince) {
    return 'If-Unmodified-Since'
  }
  const ifNoneMatch = headers[`${prefix}if-none-match`]
  const modifiedSince = parseDate(headers[`${prefix}if-modified-since`])
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, version.etag) ? 'If-None-Match' : undefined
  return modifiedSince !== undefined && modifiedMs <= modifiedSince ? 'If-Modified-Since' : undefined
}

function matches(list: string, etag: string): boolean {
  return list.split(',').some((tag) => ['*', etag, `"${etag}"`, `W/"${etag}"`].includes(tag.trim()))
}

/** A date that cannot be read is ignored (RFC 9110, 13.1.3). */
function parseDate(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}
