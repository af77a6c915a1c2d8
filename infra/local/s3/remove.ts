/**
 * DeleteObject and DeleteObjects. Without a version id a versioned bucket gains a delete marker; with one, or in a bucket
 * that never was versioned, the bytes go.
 */
import { receiveText } from './body.ts'
import type { Call, Reply } from './call.ts'
import { type Cloud, modifiedNow, xmlReply } from './cloud.ts'
import type { Version } from './entries.ts'
import { notImplemented, S3Error } from './errors.ts'
import { requireVersionId } from './find.ts'
import type { Bucket } from './state.ts'
import { newVersionId, requireBucket, versionHeader } from './store.ts'
import { element, findAll, findText, wrap, xmlDocument } from './xml.ts'

const maxObjects = 1000

/** Deletes one key or one version; deleting what is not there succeeds. */
export function deleteObject(call: Call, cloud: Cloud): Reply {
  const bucket = requireBucket(cloud.store, call.bucket)
  if (call.headers['if-match'] !== undefined) throw notImplemented('If-Match on DeleteObject')
  const removed = removeVersion(bucket, cloud, call.key, call.query.get('versionId') ?? undefined)
  if (!removed) return { status: 204 }
  const marker = removed.blob === undefined ? { 'x-amz-delete-marker': 'true' } : {}
  return { status: 204, headers: { ...marker, ...versionHeader(bucket, removed) } }
}

/** Deletes up to a thousand keys or versions, each for itself. */
export async function deleteObjects(call: Call, cloud: Cloud): Promise<Reply> {
  const bucket = requireBucket(cloud.store, call.bucket)
  const xml = await receiveText(call)
  const quiet = findText(xml, 'Quiet') === 'true'
  const objects = findAll(xml, 'Object').map((each) => ({
    key: findText(each, 'Key') ?? '',
    versionId: findText(each, 'VersionId'),
    condition: findText(each, 'ETag') ?? findText(each, 'LastModifiedTime') ?? findText(each, 'Size'),
  }))
  if (objects.length === 0 || objects.length > maxObjects || objects.some(({ key }) => key === '')) {
    throw new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed or did not validate')
  }
  if (objects.some(({ condition }) => condition !== undefined))
    throw notImplemented('conditions in DeleteObjects')
  const results = objects.map(({ key, versionId }) => deleteOne(bucket, cloud, key, versionId, quiet))
  return xmlReply(xmlDocument('DeleteResult', ...results))
}

function deleteOne(
  bucket: Bucket,
  cloud: Cloud,
  key: string,
  versionId: string | undefined,
  quiet: boolean,
): string {
  const identity = [element('Key', key), element('VersionId', versionId)]
  try {
    const removed = removeVersion(bucket, cloud, key, versionId)
    if (quiet) return ''
    const isMarker = removed !== undefined && removed.blob === undefined
    const marker = isMarker
      ? [element('DeleteMarker', true), element('DeleteMarkerVersionId', removed.versionId)]
      : []
    return wrap('Deleted', ...identity, ...marker)
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    return wrap('Error', ...identity, element('Code', error.code), element('Message', error.message))
  }
}

/** The version that was removed, or the delete marker that was made. */
function removeVersion(bucket: Bucket, cloud: Cloud, key: string, versionId?: string): Version | undefined {
  if (versionId !== undefined) requireVersionId(versionId)
  if (versionId === undefined && bucket.settings.versioning !== undefined)
    return addMarker(bucket, cloud, key)
  const wanted = versionId ?? 'null'
  const version = bucket.versions.get(key)?.find((each) => each.versionId === wanted)
  if (!version) return undefined
  cloud.store.commit({ op: 'drop', bucket: bucket.name, key, versionId: version.versionId })
  cloud.notify('ObjectRemoved:Delete', bucket.name, version)
  return version
}

function addMarker(bucket: Bucket, cloud: Cloud, key: string): Version {
  const marker: Version = {
    key,
    versionId: newVersionId(bucket),
    sequence: cloud.store.nextSequence(),
    modifiedMs: modifiedNow(cloud),
    size: 0,
    etag: '',
    headers: {},
    storageClass: 'STANDARD',
  }
  cloud.store.commit({ op: 'put', bucket: bucket.name, version: marker })
  cloud.notify('ObjectRemoved:DeleteMarkerCreated', bucket.name, marker)
  return marker
}
