/**
 * What a client says about an object besides its bytes, taken from a write's headers and given back on a read.
 */
import type { HeaderMap } from './call.ts'
import { checksumHeader } from './checksum.ts'
import type { Checksum, Description, Version } from './entries.ts'
import { notImplemented, S3Error } from './errors.ts'

const kept = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
const refused = ['x-amz-tagging', 'x-amz-website-redirect-location', 'x-amz-write-offset-bytes']
const refusedPrefixes = ['x-amz-object-lock-', 'x-amz-grant-', 'x-amz-server-side-encryption-customer-']
const storageClasses = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
]
const archived = ['GLACIER', 'DEEP_ARCHIVE']
const metaPrefix = 'x-amz-meta-'
const maxMetadataBytes = 2048

/** The description that a write's headers give, or a refusal of a header that would have to be obeyed. */
export function describe(headers: HeaderMap): Description {
  refuseUnsupported(headers)
  const storageClass = headers['x-amz-storage-class'] ?? 'STANDARD'
  if (!storageClasses.includes(storageClass)) {
    throw new S3Error(400, 'InvalidStorageClass', 'The storage class you specified is not valid')
  }
  const described: HeaderMap = {}
  let metadataBytes = 0
  for (const [name, value] of Object.entries(headers)) {
    const isMeta = name.startsWith(metaPrefix)
    if (isMeta) metadataBytes += name.length - metaPrefix.length + Buffer.byteLength(value, 'latin1')
    const text = name === 'content-encoding' ? withoutFraming(value) : value
    if ((isMeta || kept.includes(name)) && text !== '') described[name] = text
  }
  if (metadataBytes > maxMetadataBytes) {
    throw new S3Error(
      400,
      'MetadataTooLarge',
      'Your metadata headers exceed the maximum allowed metadata size',
    )
  }
  return { headers: described, storageClass }
}

/** The headers that describe a version on every read. */
export function describeVersion(version: Version): HeaderMap {
  return {
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
    ...version.headers,
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.modifiedMs).toUTCString(),
    ...(version.storageClass !== 'STANDARD' && { 'x-amz-storage-class': version.storageClass }),
  }
}

/** The headers of a stored checksum. */
export function checksumHeaders(checksum: Checksum | undefined): HeaderMap {
  if (!checksum) return {}
  return { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type }
}

/** Throws 403 InvalidObjectState for an object that would have to be restored before it can be read. */
export function requireReadable(version: Version): void {
  if (!archived.includes(version.storageClass)) return
  const message = "The operation is not valid for the object's storage class"
  throw new S3Error(403, 'InvalidObjectState', message, {}, { StorageClass: version.storageClass })
}

function refuseUnsupported(headers: HeaderMap): void {
  const name = Object.keys(headers).find(
    (header) => refused.includes(header) || refusedPrefixes.some((prefix) => header.startsWith(prefix)),
  )
  if (name !== undefined) throw notImplemented(`the header ${name}`)
  const acl = headers['x-amz-acl']
  if (acl !== undefined && acl !== 'private') throw notImplemented(`the access control list ${acl}`)
}

function withoutFraming(encodings: string): string {
  const names = encodings.split(',').map((name) => name.trim())
  return names.filter((name) => name !== 'aws-chunked').join(',')
}
