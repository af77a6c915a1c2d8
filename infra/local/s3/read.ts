/**
 * GetObject and HeadObject. Both settle everything before the first byte; the bytes then stream from an open file, so
 * that an overwrite or a deletion meanwhile does not touch them.
 */
import type { Call, HeaderMap, Reply } from './call.ts'
import type { Cloud } from './cloud.ts'
import { checkRead } from './conditions.ts'
import { checksumHeaders, describeVersion, requireReadable } from './describe.ts'
import type { Version } from './entries.ts'
import { invalidArgument } from './errors.ts'
import { findVersion } from './find.ts'
import { type ByteRange, parseRange } from './range.ts'
import { requireBucket, versionHeader } from './store.ts'

/** The parameters that replace a header of the answer. */
export const overrides = [
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
] as const

/** Answers with an object's headers. */
export function headObject(call: Call, cloud: Cloud): Reply {
  const { version, range, headers } = locate(call, cloud)
  return {
    status: range ? 206 : 200,
    headers: { ...headers, 'content-length': String(lengthOf(version, range)) },
  }
}

/** Answers with an object's bytes, or one range of them. */
export async function getObject(call: Call, cloud: Cloud): Promise<Reply> {
  const { version, range, headers } = locate(call, cloud)
  requireReadable(version)
  const reply = {
    status: range ? 206 : 200,
    headers: { ...headers, 'content-length': String(lengthOf(version, range)) },
  }
  if (version.size === 0) return reply
  const stream = await cloud.store.blobs.open(version.blob, range?.start, range?.end)
  if (stream) return { ...reply, stream }
  if (locate(call, cloud).version.blob === version.blob) throw new Error(`The blob ${version.blob} is lost`)
  // Overwritten for good between the look-up and the opening: what is there now is the answer.
  return getObject(call, cloud)
}

function locate(call: Call, cloud: Cloud) {
  const bucket = requireBucket(cloud.store, call.bucket)
  const version = findVersion(bucket, call.key, call.query.get('versionId'))
  checkRead(call.headers, version)
  const range = parseRange(call.headers.range, version.size)
  const wantsChecksum = call.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED' && !range
  const headers: HeaderMap = {
    ...describeVersion(version),
    ...versionHeader(bucket, version),
    ...(wantsChecksum && checksumHeaders(version.checksum)),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${version.size}` }),
    ...overriddenHeaders(call),
  }
  return { version, range, headers }
}

function overriddenHeaders(call: Call): HeaderMap {
  const headers: HeaderMap = {}
  for (const parameter of overrides) {
    const value = call.query.get(parameter)
    if (value === null) continue
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
      throw invalidArgument(`${parameter} is not a header value`)
    headers[parameter.slice('response-'.length)] = value
  }
  return headers
}

function lengthOf(version: Version, range: ByteRange | undefined): number {
  return range ? range.end - range.start + 1 : version.size
}
