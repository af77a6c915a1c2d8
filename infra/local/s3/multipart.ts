/**
 * The beginning and the end without success of a multipart upload. Uploads and their parts outlive a restart, as in S3.
 */
import { randomBytes } from 'node:crypto'
import type { Call, Reply } from './call.ts'
import { type Algorithm, parseAlgorithm } from './checksum.ts'
import { type Cloud, modifiedNow, xmlReply } from './cloud.ts'
import { describe } from './describe.ts'
import type { Checksum, Upload } from './entries.ts'
import { S3Error } from './errors.ts'
import type { OpenUpload } from './state.ts'
import { requireBucket } from './store.ts'
import { element, xmlDocument } from './xml.ts'

/** Begins an upload with the description that its object will have. */
export function createUpload(call: Call, cloud: Cloud): Reply {
  const bucket = requireBucket(cloud.store, call.bucket)
  const stated = call.headers['x-amz-checksum-algorithm']
  const algorithm = stated === undefined ? undefined : parseAlgorithm(stated)
  const checksumType = algorithm && parseChecksumType(call.headers['x-amz-checksum-type'], algorithm)
  const upload: Upload = {
    ...describe(call.headers),
    id: randomBytes(32).toString('base64url'),
    bucket: bucket.name,
    key: call.key,
    startedMs: modifiedNow(cloud),
    algorithm,
    checksumType,
  }
  cloud.store.commit({ op: 'upload', upload })
  const body = xmlDocument(
    'InitiateMultipartUploadResult',
    element('Bucket', bucket.name),
    element('Key', call.key),
    element('UploadId', upload.id),
  )
  return xmlReply(body, {
    ...(algorithm && { 'x-amz-checksum-algorithm': algorithm.toUpperCase() }),
    ...(checksumType && { 'x-amz-checksum-type': checksumType }),
  })
}

/** Ends an upload and frees its parts. */
export function abortUpload(call: Call, cloud: Cloud): Reply {
  const { upload } = requireUpload(call, cloud)
  cloud.store.commit({ op: 'abort', upload: upload.id })
  return { status: 204 }
}

/** The upload that a call names, or 404 NoSuchUpload. */
export function requireUpload(call: Call, cloud: Cloud): OpenUpload {
  requireBucket(cloud.store, call.bucket)
  const open = cloud.store.state.uploads.get(call.query.get('uploadId') ?? '')
  if (open && open.upload.bucket === call.bucket && open.upload.key === call.key) return open
  throw new S3Error(
    404,
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  )
}

function parseChecksumType(stated: string | undefined, algorithm: Algorithm): Checksum['type'] {
  const isCrc = algorithm.startsWith('crc')
  const type = stated ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE')
  if (type === 'FULL_OBJECT' && isCrc) return type
  if (type === 'COMPOSITE' && algorithm !== 'crc64nvme') return type
  throw new S3Error(
    400,
    'InvalidRequest',
    `The ${type} checksum type cannot be used with the ${algorithm.toUpperCase()} checksum algorithm.`,
  )
}
