/**
 * ListObjectVersions: every version and delete marker, by key and then newest first.
 */
import type { Call, Reply } from './call.ts'
import { type Cloud, xmlReply } from './cloud.ts'
import type { Version } from './entries.ts'
import { invalidArgument } from './errors.ts'
import { lowerBound } from './keys.ts'
import { contentElements, owner } from './listing.ts'
import { after, type Found, type PageRequest, pageElements, parsePage, walk } from './page.ts'
import type { Bucket } from './state.ts'
import { requireBucket } from './store.ts'
import { element, wrap, xmlDocument } from './xml.ts'

interface Row {
  found: Found
  version?: Version
  isLatest?: boolean
}

/** Lists a bucket's versions, one page. */
export function listVersions(call: Call, cloud: Cloud): Reply {
  const bucket = requireBucket(cloud.store, call.bucket)
  const page = parsePage(call.query)
  const keyMarker = call.query.get('key-marker') ?? ''
  const versionMarker = call.query.get('version-id-marker') ?? ''
  if (versionMarker !== '' && keyMarker === '') {
    throw invalidArgument('A version-id marker cannot be specified without a key marker.')
  }
  const rows: Row[] = []
  let isTruncated = false
  if (page.maxKeys > 0) {
    for (const row of walkVersions(bucket, page, keyMarker, versionMarker)) {
      isTruncated = rows.length === page.maxKeys
      if (isTruncated) break
      rows.push(row)
    }
  }
  const last = rows.at(-1)
  return xmlReply(
    xmlDocument(
      'ListVersionsResult',
      ...pageElements(bucket.name, page),
      `<KeyMarker>${page.show(keyMarker)}</KeyMarker>`,
      element('VersionIdMarker', versionMarker),
      element('IsTruncated', isTruncated),
      isTruncated && last ? `<NextKeyMarker>${page.show(last.found.name)}</NextKeyMarker>` : '',
      isTruncated ? element('NextVersionIdMarker', last?.version?.versionId) : '',
      ...rows.map((row) => rowElement(row, page)),
    ),
  )
}

function* walkVersions(
  bucket: Bucket,
  page: PageRequest,
  keyMarker: string,
  versionMarker: string,
): Generator<Row> {
  const keys = bucket.keys.sorted()
  const isPrefix = page.delimiter !== '' && keyMarker.endsWith(page.delimiter) && keyMarker !== page.prefix
  const marker: Found = { kind: isPrefix && versionMarker === '' ? 'prefix' : 'key', name: keyMarker }
  const first = versionMarker === '' ? after(keys, marker) : lowerBound(keys, keyMarker)
  for (const found of walk(keys, page, first, () => true)) {
    if (found.kind === 'prefix') {
      yield { found }
      continue
    }
    const versions = (bucket.versions.get(found.name) ?? []).toReversed()
    const isMarked = versionMarker !== '' && found.name === keyMarker
    const start = isMarked ? versions.findIndex((version) => version.versionId === versionMarker) + 1 : 0
    for (const [at, version] of versions.entries()) {
      if (at >= start) yield { found, version, isLatest: at === 0 }
    }
  }
}

function rowElement({ found, version, isLatest }: Row, page: PageRequest): string {
  const name = page.show(found.name)
  if (!version) return `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
  const identity = [
    `<Key>${name}</Key>`,
    element('VersionId', version.versionId),
    element('IsLatest', isLatest),
  ]
  if (version.blob !== undefined) return wrap('Version', ...identity, ...contentElements(version), owner)
  const modified = element('LastModified', new Date(version.modifiedMs).toISOString())
  return wrap('DeleteMarker', ...identity, modified, owner)
}
