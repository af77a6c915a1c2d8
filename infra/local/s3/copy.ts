/**
 * CopyObject, and the reading of a copy's source that UploadPartCopy shares. The bytes are read again, so that the copy
 * has an entity tag and a checksum of its own, as in S3.
 */
import type { Readable } from 'node:stream'
import { absorb } from './body.ts'
import type { Call, Reply } from './call.ts'
import { type Algorithm, checksumElement, parseAlgorithm } from './checksum.ts'
import { type Cloud, xmlReply } from './cloud.ts'
import { checkCopySource, checkWrite } from './conditions.ts'
import { describe, requireReadable } from './describe.ts'
import { percentDecode } from './encoding.ts'
import type { Checksum, Description, Version } from './entries.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { findVersion } from './find.ts'
import { latest, requireBucket, versionHeader } from './store.ts'
import { publish, withBlob } from './write.ts'
import { element, xmlDocument } from './xml.ts'

/** A version that is copied from, and its bucket's header for it. */
export interface Source {
  bucket: string
  version: Version & { blob: string }
  headers: Record<string, string>
}

/** Copies an object, with its description or with a new one. */
export async function copyObject(call: Call, cloud: Cloud): Promise<Reply> {
  const bucket = requireBucket(cloud.store, call.bucket)
  const source = findSource(call, cloud)
  const description = describeCopy(call, source)
  checkWrite(call.headers, call.key, latest(bucket, call.key))
  return withBlob(cloud, async (writer) => {
    const stream = await openSource(cloud, source)
    const { size, md5, checksum } = await absorb(stream, copiedAlgorithm(call, source.version), writer.write)
    await writer.close()
    const version = publish(call, cloud, 'ObjectCreated:Copy', {
      ...description,
      blob: writer.id,
      size,
      etag: md5.toString('hex'),
      checksum: checksum && { ...checksum, type: 'FULL_OBJECT' },
    })
    const body = xmlDocument(
      'CopyObjectResult',
      ...copyResult(version.etag, version.modifiedMs, version.checksum),
    )
    return xmlReply(body, { ...versionHeader(bucket, version), ...source.headers })
  })
}

/** The elements that tell of a copy. */
export function copyResult(etag: string, modifiedMs: number, checksum: Checksum | undefined): string[] {
  return [
    element('LastModified', new Date(modifiedMs).toISOString()),
    element('ETag', `"${etag}"`),
    checksum ? element(checksumElement(checksum.algorithm), checksum.value) : '',
  ]
}

/** The version that `x-amz-copy-source` names, if its conditions hold and it can be read. */
export function findSource(call: Call, cloud: Cloud): Source {
  const [path = '', query = ''] = (call.headers['x-amz-copy-source'] ?? '').split('?', 2)
  const decoded = percentDecode(path).replace(/^\//, '')
  const slash = decoded.indexOf('/')
  if (slash < 1 || slash === decoded.length - 1) {
    throw invalidArgument('Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
  }
  const name = decoded.slice(0, slash)
  const bucket = requireBucket(cloud.store, name)
  const version = findVersion(bucket, decoded.slice(slash + 1), new URLSearchParams(query).get('versionId'))
  checkCopySource(call.headers, version)
  requireReadable(version)
  const versionId = versionHeader(bucket, version)['x-amz-version-id']
  return { bucket: name, version, headers: versionId ? { 'x-amz-copy-source-version-id': versionId } : {} }
}

/** The source's bytes; a source that vanished meanwhile is a conflict, which the SDK tries again. */
export async function openSource(
  cloud: Cloud,
  source: Source,
  start?: number,
  end?: number,
): Promise<Readable> {
  const stream = await cloud.store.blobs.open(source.version.blob, start, end)
  if (stream) return stream
  throw new S3Error(409, 'OperationAborted', 'The copy source was overwritten while it was being opened')
}

function describeCopy(call: Call, source: Source): Description {
  const directive = call.headers['x-amz-metadata-directive'] ?? 'COPY'
  const stated = describe(call.headers)
  if (directive === 'REPLACE') return stated
  if (directive !== 'COPY') throw invalidArgument('Unknown metadata directive.')
  const ontoItself = source.bucket === call.bucket && source.version.key === call.key
  if (
    ontoItself &&
    call.headers['x-amz-storage-class'] === undefined &&
    !call.headers['x-amz-copy-source']?.includes('?')
  ) {
    throw new S3Error(
      400,
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  }
  return { headers: source.version.headers, storageClass: stated.storageClass }
}

function copiedAlgorithm(call: Call, source: Version): Algorithm | undefined {
  const stated = call.headers['x-amz-checksum-algorithm']
  return stated === undefined ? source.checksum?.algorithm : parseAlgorithm(stated)
}
