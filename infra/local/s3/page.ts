/**
 * The parameters that both listings share, and the walk over sorted keys that rolls common prefixes up. A rolled-up
 * prefix is jumped over by binary search, so a page costs what it shows and not what it hides.
 */
import { encodeKey } from './encoding.ts'
import { invalidArgument } from './errors.ts'
import { afterPrefix, lowerBound } from './keys.ts'
import { element, escapeXml } from './xml.ts'

const maxPageKeys = 1000

/** What a listing is asked for; `show` escapes a key for the document. */
export interface PageRequest {
  prefix: string
  delimiter: string
  maxKeys: number
  encodes: boolean
  show: (text: string) => string
}

/** Reads the parameters that listings share. */
export function parsePage(query: URLSearchParams): PageRequest {
  const encoding = query.get('encoding-type')
  if (encoding !== null && encoding !== 'url')
    throw invalidArgument('Invalid Encoding Method specified in Request')
  const maxKeys = query.get('max-keys') ?? String(maxPageKeys)
  if (!/^\d{1,9}$/.test(maxKeys)) throw invalidArgument('Argument max-keys must be an integer')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: Math.min(Number(maxKeys), maxPageKeys),
    encodes: encoding === 'url',
    show: encoding === 'url' ? encodeKey : escapeXml,
  }
}

/** The elements that repeat the request in every listing. */
export function pageElements(bucket: string, page: PageRequest): string[] {
  return [
    element('Name', bucket),
    `<Prefix>${page.show(page.prefix)}</Prefix>`,
    page.delimiter && `<Delimiter>${page.show(page.delimiter)}</Delimiter>`,
    element('MaxKeys', page.maxKeys),
    page.encodes ? element('EncodingType', 'url') : '',
  ]
}

/** A key, or a prefix that several keys have in common. */
export interface Found {
  kind: 'key' | 'prefix'
  name: string
}

/** Keys and common prefixes in order, from the index `start`; `isShown` says whether a key counts. */
export function* walk(
  keys: readonly string[],
  page: PageRequest,
  start: number,
  isShown: (key: string) => boolean,
): Generator<Found> {
  for (let at = Math.max(start, lowerBound(keys, page.prefix)); at < keys.length; at++) {
    const key = keys[at] ?? ''
    if (!key.startsWith(page.prefix)) return
    if (!isShown(key)) continue
    const end = page.delimiter === '' ? -1 : key.indexOf(page.delimiter, page.prefix.length)
    if (end < 0) {
      yield { kind: 'key', name: key }
      continue
    }
    const name = key.slice(0, end + page.delimiter.length)
    yield { kind: 'prefix', name }
    at = afterPrefix(keys, name) - 1
  }
}

/** The index from which a walk goes on behind what it has shown. */
export function after(keys: readonly string[], found: Found): number {
  return found.kind === 'prefix' ? afterPrefix(keys, found.name) : lowerBound(keys, `${found.name}\u0000`)
}
