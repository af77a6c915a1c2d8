/**
 * Which operation a request means: method, depth of the path, and exactly the parameters that the operation knows. A
 * request with a parameter that nobody here knows is refused with 501, never taken for another operation.
 */
import {
  createBucket,
  deleteBucket,
  deleteDocument,
  getDocument,
  getLocation,
  getVersioning,
  headBucket,
  listBuckets,
  putDocument,
  putVersioning,
} from './buckets.ts'
import type { Call } from './call.ts'
import { type Operation, xmlReply } from './cloud.ts'
import { completeUpload } from './complete.ts'
import { copyObject } from './copy.ts'
import { notImplemented, S3Error } from './errors.ts'
import { listObjects } from './listing.ts'
import { abortUpload, createUpload } from './multipart.ts'
import { uploadPart, uploadPartCopy } from './parts.ts'
import { getObject, headObject, overrides } from './read.ts'
import { deleteObject, deleteObjects } from './remove.ts'
import { listVersions } from './versions.ts'
import { putObject } from './write.ts'
import { xmlDocument } from './xml.ts'

interface Route {
  method: string
  depth: 'service' | 'bucket' | 'object'
  run: Operation
  /** Parameters that must be there, and those that may. */
  needs?: readonly string[]
  takes?: readonly string[]
  copies?: true
}

const paging = ['prefix', 'delimiter', 'max-keys', 'encoding-type']
const part = ['uploadId', 'partNumber']

const routes: readonly Route[] = [
  { method: 'GET', depth: 'service', run: listBuckets },
  { method: 'PUT', depth: 'bucket', run: createBucket },
  { method: 'HEAD', depth: 'bucket', run: headBucket },
  { method: 'DELETE', depth: 'bucket', run: deleteBucket },
  { method: 'GET', depth: 'bucket', needs: ['location'], run: getLocation },
  { method: 'GET', depth: 'bucket', needs: ['versioning'], run: getVersioning },
  { method: 'PUT', depth: 'bucket', needs: ['versioning'], run: putVersioning },
  { method: 'GET', depth: 'bucket', needs: ['cors'], run: getDocument('cors', noCors) },
  { method: 'PUT', depth: 'bucket', needs: ['cors'], run: putDocument('cors', 'CORSConfiguration') },
  { method: 'DELETE', depth: 'bucket', needs: ['cors'], run: deleteDocument('cors') },
  {
    method: 'GET',
    depth: 'bucket',
    needs: ['notification'],
    run: getDocument('notification', noNotification),
  },
  {
    method: 'PUT',
    depth: 'bucket',
    needs: ['notification'],
    run: putDocument('notification', 'NotificationConfiguration'),
  },
  {
    method: 'GET',
    depth: 'bucket',
    needs: ['list-type'],
    takes: [...paging, 'continuation-token', 'start-after', 'fetch-owner'],
    run: listObjects,
  },
  {
    method: 'GET',
    depth: 'bucket',
    needs: ['versions'],
    takes: [...paging, 'key-marker', 'version-id-marker'],
    run: listVersions,
  },
  { method: 'POST', depth: 'bucket', needs: ['delete'], run: deleteObjects },
  { method: 'GET', depth: 'object', takes: ['versionId', ...overrides], run: getObject },
  { method: 'HEAD', depth: 'object', takes: ['versionId', ...overrides], run: headObject },
  { method: 'PUT', depth: 'object', copies: true, run: copyObject },
  { method: 'PUT', depth: 'object', run: putObject },
  { method: 'DELETE', depth: 'object', takes: ['versionId'], run: deleteObject },
  { method: 'POST', depth: 'object', needs: ['uploads'], run: createUpload },
  { method: 'PUT', depth: 'object', needs: part, copies: true, run: uploadPartCopy },
  { method: 'PUT', depth: 'object', needs: part, run: uploadPart },
  { method: 'POST', depth: 'object', needs: ['uploadId'], run: completeUpload },
  { method: 'DELETE', depth: 'object', needs: ['uploadId'], run: abortUpload },
]

/** The operation that a call means, or 501 when there is none here. */
export function findOperation(call: Call): Operation {
  const depth = call.key !== '' ? 'object' : call.bucket !== '' ? 'bucket' : 'service'
  const copies = call.headers['x-amz-copy-source'] !== undefined
  // `x-id` only names the operation, and `x-amz-*` are the signature and the headers that it covers.
  const given = [...call.query.keys()].filter((name) => name !== 'x-id' && !/^x-amz-/i.test(name))
  const route = routes.find(
    ({ method, needs = [], takes = [], ...other }) =>
      method === call.method &&
      other.depth === depth &&
      (other.copies ?? false) === copies &&
      needs.every((name) => given.includes(name)) &&
      given.every((name) => needs.includes(name) || takes.includes(name)),
  )
  if (route) return route.run
  throw notImplemented(`${call.method} on the ${depth}${given.length > 0 ? ` with ${given.join(', ')}` : ''}`)
}

function noCors(): never {
  throw new S3Error(404, 'NoSuchCORSConfiguration', 'The CORS configuration does not exist')
}

function noNotification() {
  return xmlReply(xmlDocument('NotificationConfiguration'))
}
