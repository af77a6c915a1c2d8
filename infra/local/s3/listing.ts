/**
 * ListObjectsV2: the newest versions that are no delete markers, in UTF-8 byte order. The continuation token is the last
 * name shown, so keys that come and go between two pages neither repeat nor hide others.
 */
import type { Call, Reply } from './call.ts'
import { type Cloud, xmlReply } from './cloud.ts'
import type { Version } from './entries.ts'
import { invalidArgument } from './errors.ts'
import { after, type Found, type PageRequest, pageElements, parsePage, walk } from './page.ts'
import { latest, requireBucket } from './store.ts'
import { element, wrap, xmlDocument } from './xml.ts'

/** Lists a bucket's objects, one page. */
export function listObjects(call: Call, cloud: Cloud): Reply {
  if (call.query.get('list-type') !== '2') throw invalidArgument('Invalid list type')
  const bucket = requireBucket(cloud.store, call.bucket)
  const page = parsePage(call.query)
  const keys = bucket.keys.sorted()
  const token = call.query.get('continuation-token')
  const startAfter = call.query.get('start-after')
  const start = after(keys, token === null ? { kind: 'key', name: startAfter ?? '' } : parseToken(token))
  const found: Found[] = []
  let isTruncated = false
  if (page.maxKeys > 0) {
    for (const each of walk(keys, page, start, (key) => latest(bucket, key)?.blob !== undefined)) {
      isTruncated = found.length === page.maxKeys
      if (isTruncated) break
      found.push(each)
    }
  }
  const last = found.at(-1)
  const withOwner = call.query.get('fetch-owner') === 'true'
  const contents = found
    .filter(({ kind }) => kind === 'key')
    .flatMap(({ name }) => latest(bucket, name) ?? [])
  const prefixes = found.filter(({ kind }) => kind === 'prefix')
  return xmlReply(
    xmlDocument(
      'ListBucketResult',
      ...pageElements(bucket.name, page),
      element('KeyCount', found.length),
      element('IsTruncated', isTruncated),
      token === null ? '' : element('ContinuationToken', token),
      startAfter === null ? '' : `<StartAfter>${page.show(startAfter)}</StartAfter>`,
      isTruncated && last ? element('NextContinuationToken', formatToken(last)) : '',
      ...contents.map((version) => objectElement(version, page, withOwner)),
      ...prefixes.map(({ name }) => `<CommonPrefixes><Prefix>${page.show(name)}</Prefix></CommonPrefixes>`),
    ),
  )
}

/** The elements that both listings give of a version's bytes. */
export function contentElements(version: Version): string[] {
  return [
    element('LastModified', new Date(version.modifiedMs).toISOString()),
    element('ETag', `"${version.etag}"`),
    version.checksum ? element('ChecksumAlgorithm', version.checksum.algorithm.toUpperCase()) : '',
    version.checksum ? element('ChecksumType', version.checksum.type) : '',
    element('Size', version.size),
    element('StorageClass', version.storageClass),
  ]
}

/** The owner of everything here. */
export const owner = wrap('Owner', element('ID', 'local'), element('DisplayName', 'local'))

function objectElement(version: Version, page: PageRequest, withOwner: boolean): string {
  const key = `<Key>${page.show(version.key)}</Key>`
  return wrap('Contents', key, ...contentElements(version), withOwner ? owner : '')
}

function formatToken(found: Found): string {
  return Buffer.from(`${found.kind}:${found.name}`).toString('base64url')
}

function parseToken(token: string): Found {
  const [, kind, name] = /^(key|prefix):(.*)$/s.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? []
  if (kind === undefined || name === undefined) {
    throw invalidArgument('The continuation token provided is incorrect')
  }
  return { kind: kind === 'key' ? 'key' : 'prefix', name }
}
