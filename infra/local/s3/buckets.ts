/**
 * Buckets and their settings. A settings document is kept as it was put and given back as it is; what this emulator acts
 * on is read out of it where it is needed.
 */
import { receiveText } from './body.ts'
import type { Call, Reply } from './call.ts'
import { type Cloud, modifiedNow, type Operation, xmlReply } from './cloud.ts'
import type { Setting } from './entries.ts'
import { invalidArgument, notImplemented, S3Error } from './errors.ts'
import { owner } from './listing.ts'
import { requireBucket } from './store.ts'
import { element, findText, wrap, xmlDocument } from './xml.ts'

const defaultRegion = 'us-east-1'

/** Lists all buckets. */
export function listBuckets(_call: Call, cloud: Cloud): Reply {
  const buckets = [...cloud.store.state.buckets.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const elements = buckets.map(({ name, createdMs }) =>
    wrap('Bucket', element('Name', name), element('CreationDate', new Date(createdMs).toISOString())),
  )
  return xmlReply(xmlDocument('ListAllMyBucketsResult', owner, wrap('Buckets', ...elements)))
}

/** Creates a bucket; again in us-east-1 is no error, for S3 kept that from its first years. */
export async function createBucket(call: Call, cloud: Cloud): Promise<Reply> {
  const name = call.bucket
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) {
    throw new S3Error(400, 'InvalidBucketName', 'The specified bucket is not valid.')
  }
  const constraint = findText(await receiveText(call), 'LocationConstraint')
  if (constraint !== undefined && constraint !== cloud.region) {
    throw new S3Error(400, 'IllegalLocationConstraintException', `This endpoint is in ${cloud.region}.`)
  }
  const exists = cloud.store.state.buckets.has(name)
  if (exists && cloud.region !== defaultRegion) {
    throw new S3Error(
      409,
      'BucketAlreadyOwnedByYou',
      'Your previous request to create the named bucket succeeded.',
    )
  }
  if (!exists) cloud.store.commit({ op: 'bucket', name, createdMs: modifiedNow(cloud) })
  return { status: 200, headers: { location: `/${name}` } }
}

/** Tells that a bucket exists. */
export function headBucket(call: Call, cloud: Cloud): Reply {
  requireBucket(cloud.store, call.bucket)
  return { status: 200, headers: { 'x-amz-bucket-region': cloud.region } }
}

/** Removes an empty bucket. */
export function deleteBucket(call: Call, cloud: Cloud): Reply {
  const bucket = requireBucket(cloud.store, call.bucket)
  if (bucket.versions.size > 0) {
    throw new S3Error(409, 'BucketNotEmpty', 'The bucket you tried to delete is not empty')
  }
  for (const { upload } of [...cloud.store.state.uploads.values()]) {
    if (upload.bucket === bucket.name) cloud.store.commit({ op: 'abort', upload: upload.id })
  }
  cloud.store.commit({ op: 'unbucket', name: bucket.name })
  return { status: 204 }
}

/** Tells the region; us-east-1 is told by saying nothing. */
export function getLocation(call: Call, cloud: Cloud): Reply {
  requireBucket(cloud.store, call.bucket)
  return xmlReply(xmlDocument('LocationConstraint', cloud.region === defaultRegion ? '' : cloud.region))
}

/** Tells whether versions are kept. */
export function getVersioning(call: Call, cloud: Cloud): Reply {
  const status = requireBucket(cloud.store, call.bucket).settings.versioning
  return xmlReply(xmlDocument('VersioningConfiguration', element('Status', status)))
}

/** Enables or suspends versioning. */
export async function putVersioning(call: Call, cloud: Cloud): Promise<Reply> {
  const xml = await receiveText(call)
  const value = findText(xml, 'Status')
  if (findText(xml, 'MfaDelete') === 'Enabled') throw notImplemented('MFA delete')
  if (value !== 'Enabled' && value !== 'Suspended')
    throw invalidArgument('The versioning status is not valid')
  return changeSetting(call, cloud, 'versioning', value)
}

/** An operation that keeps a settings document whose root is `root`. */
export function putDocument(setting: Setting, root: string): Operation {
  return async (call, cloud) => {
    const xml = await receiveText(call)
    if (!new RegExp(`<${root}[\\s/>]`).test(xml)) {
      throw new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed or did not validate')
    }
    return changeSetting(call, cloud, setting, xml)
  }
}

/** An operation that gives a settings document back, or `absent` when there is none. */
export function getDocument(setting: Setting, absent: () => Reply): Operation {
  return (call, cloud) => {
    const xml = requireBucket(cloud.store, call.bucket).settings[setting]
    return xml === undefined ? absent() : xmlReply(xml)
  }
}

/** An operation that removes a settings document. */
export function deleteDocument(setting: Setting): Operation {
  return (call, cloud) => ({ ...changeSetting(call, cloud, setting, undefined), status: 204 })
}

function changeSetting(call: Call, cloud: Cloud, name: Setting, value: string | undefined): Reply {
  const bucket = requireBucket(cloud.store, call.bucket)
  cloud.store.commit({ op: 'setting', bucket: bucket.name, name, value })
  return { status: 200 }
}
