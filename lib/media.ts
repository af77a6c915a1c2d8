/**
 * Media types: what was declared, normalised (contract 3a), the type of a file that declared none, and the rule that
 * decides between text and blob (contract 3). The parser is Node's own WHATWG one.
 */
import { MIMEType } from 'node:util'
import mime from 'mime'
import { decoderLabel } from './charset.ts'
import { sourceTypes } from './extensions.ts'
import { maxTypeLength } from './limits.ts'

/** The type of what declares nothing and has no telling name. */
export const unknownType = 'application/octet-stream'

/** A parsed media type: `essence` is `type/subtype` in lower case, `charset` the declared label if there is one. */
export interface MediaType {
  readonly essence: string
  readonly charset: string | undefined
  /** As it is shown and compared: essence and parameters, `; name=value` each. */
  readonly text: string
  /** The same without `charset`, for a file whose charset has been used to decode it. */
  readonly textWithoutCharset: string
}

/** The media type that the text declares, or undefined when it is none, or longer than is kept. */
export function parseMediaType(declared: string): MediaType | undefined {
  if (declared.length > maxTypeLength) return undefined
  try {
    const { essence, params } = new MIMEType(declared)
    const text = render(essence, [...params])
    if (text.length > maxTypeLength) return undefined // or it could not be parsed again
    const textWithoutCharset = render(
      essence,
      [...params].filter(([name]) => name !== 'charset'),
    )
    return { essence, charset: params.get('charset') ?? undefined, text, textWithoutCharset }
  } catch {
    return undefined
  }
}

/**
 * The type of a file: the declared one; if that is missing, malformed or says only "bytes" (as S3's own default does),
 * the one of the file name's extension; else `application/octet-stream`.
 */
export function fileType(declared: string | undefined, name: string): MediaType {
  const parsed = declared === undefined ? undefined : parseMediaType(declared)
  if (parsed && parsed.essence !== unknownType && parsed.essence !== 'binary/octet-stream') return parsed
  const byName = parseMediaType(typeOfName(name))
  return (
    byName ?? { essence: unknownType, charset: undefined, text: unknownType, textWithoutCharset: unknownType }
  )
}

/** The essence of a type that `parseMediaType` rendered. */
export function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return end < 0 ? type : type.slice(0, end)
}

const textApplications = new Set([
  ...['json', 'xml', 'yaml', 'x-yaml', 'javascript', 'ecmascript', 'x-javascript', 'typescript', 'x-ndjson'],
  ...[
    'ndjson',
    'jsonl',
    'json5',
    'toml',
    'sql',
    'graphql',
    'x-sh',
    'x-www-form-urlencoded',
    'x-tex',
    'x-latex',
  ],
  'x-subrip',
])

/** True when a file of this type is text: it comes back as `text` if its bytes are valid in its encoding. */
export function isTextType(essence: string): boolean {
  const [type, subtype = ''] = essence.split('/')
  if (type === 'text') return true
  if (type !== 'image' && /\+(json|xml|yaml)$/.test(subtype)) return true
  return type === 'application' && textApplications.has(subtype)
}

/** The type of a text that has been decoded: a charset that a decoder knows has been used and is no longer part of it. */
export function decodedType({ charset, text, textWithoutCharset }: MediaType): string {
  return charset !== undefined && decoderLabel(charset) !== undefined ? textWithoutCharset : text
}

function typeOfName(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1)
  const extension = base.slice(base.lastIndexOf('.') + 1).toLowerCase()
  return sourceTypes.get(extension) ?? mime.getType(base) ?? unknownType
}

function render(essence: string, params: [string, string][]): string {
  return [essence, ...params.map(([name, value]) => `${name}=${quoted(value)}`)].join('; ')
}

/** RFC 9110: a value that is not a token is a quoted string. */
function quoted(value: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}
