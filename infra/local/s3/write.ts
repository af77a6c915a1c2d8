/**
 * PutObject, and the way every new version comes to be: its bytes lie complete and verified in a blob before one
 * synchronous step checks the conditions again and makes it visible.
 */
import type { BlobWriter } from './blobs.ts'
import { receive } from './body.ts'
import type { Call, HeaderMap, Reply } from './call.ts'
import { type Cloud, modifiedNow } from './cloud.ts'
import { checkWrite } from './conditions.ts'
import { checksumHeaders, describe } from './describe.ts'
import type { Checksum, Description, Version } from './entries.ts'
import type { EventName } from './events.ts'
import { latest, newVersionId, requireBucket, versionHeader } from './store.ts'

/** What a new version is made of; `upload` is the multipart upload that it ends. */
export interface Draft extends Description {
  blob: string
  size: number
  etag: string
  checksum?: Checksum | undefined
  upload?: string
}

/** Stores the body as the key's newest version. */
export async function putObject(call: Call, cloud: Cloud): Promise<Reply> {
  const bucket = requireBucket(cloud.store, call.bucket)
  const description = describe(call.headers)
  checkWrite(call.headers, call.key, latest(bucket, call.key))
  return withBlob(cloud, async (writer) => {
    const { size, md5, checksum } = await receive(call, writer.write)
    await writer.close()
    const version = publish(call, cloud, 'ObjectCreated:Put', {
      ...description,
      blob: writer.id,
      size,
      etag: md5.toString('hex'),
      checksum: checksum && { ...checksum, type: 'FULL_OBJECT' },
    })
    return { status: 200, headers: createdHeaders(call, cloud, version) }
  })
}

/** Makes a draft the key's newest version if the write's conditions still hold, and tells of it. */
export function publish(call: Call, cloud: Cloud, event: EventName, draft: Draft): Version {
  const { store } = cloud
  // The bucket may have been deleted while the bytes came in.
  const bucket = requireBucket(store, call.bucket)
  checkWrite(call.headers, call.key, latest(bucket, call.key))
  const { upload, ...stored } = draft
  const version: Version = {
    ...stored,
    key: call.key,
    versionId: newVersionId(bucket),
    sequence: store.nextSequence(),
    modifiedMs: modifiedNow(cloud),
  }
  store.commit({ op: 'put', bucket: bucket.name, version, upload })
  cloud.notify(event, bucket.name, version)
  return version
}

/** The headers that answer a successful write. */
export function createdHeaders(call: Call, cloud: Cloud, version: Version): HeaderMap {
  const bucket = requireBucket(cloud.store, call.bucket)
  return {
    etag: `"${version.etag}"`,
    ...checksumHeaders(version.checksum),
    ...versionHeader(bucket, version),
  }
}

/** Runs a write with a new blob, which is discarded unless the write succeeds. */
export async function withBlob<T>(cloud: Cloud, write: (writer: BlobWriter) => Promise<T>): Promise<T> {
  const writer = await cloud.store.blobs.create()
  try {
    return await write(writer)
  } catch (error) {
    await writer.discard()
    throw error
  }
}
