/**
 * The parameters of both methods, validated (contract 3, 4). A filter that is not understood is refused: to ignore it
 * would silently return too much.
 */
import * as z from 'zod/mini'
import { invalidParams } from './errors.ts'
import { fileIdPattern } from './keys.ts'
import { maxFilterTags, maxTagBytes, maxUriLength } from './limits.ts'
import { decodedType, isTextType, type MediaType, parseMediaType } from './media.ts'

/** The URI schemes that are resolved. */
export const supportedSchemes = ['files'] as const

const prefix = 'files://'

/** Parameters of a read. */
export const ReadParams = z.object({ uri: z.string().check(z.maxLength(maxUriLength)) })
export type ReadParams = z.infer<typeof ReadParams>

/** The filter of a list; a file must match every member. */
export const Filter = z.strictObject({
  scheme: z.optional(z.enum(supportedSchemes)),
  mimeType: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
})
export type Filter = z.infer<typeof Filter>

/** Parameters of a list; every other `_meta` key is ignored (contract 7). */
export const ListParams = z.object({ _meta: z.optional(z.looseObject({ filter: z.optional(Filter) })) })

/** What a list looks for: `essence`, with any of the `types` (any at all if undefined), and tags in NFC. */
export interface Wanted {
  readonly essence: string | undefined
  readonly types: readonly string[] | undefined
  readonly tags: readonly string[]
}

/** The URI of a read, checked for type, length and scheme. Throws `invalid-params`. */
export function parseReadParams(params: unknown): string {
  const parsed = ReadParams.safeParse(params)
  if (!parsed.success)
    throw invalidParams(`params.uri must be a string of at most ${maxUriLength} characters`)
  const { uri } = parsed.data
  if (uri.startsWith(prefix) && uri.length > prefix.length) return uri
  throw invalidParams('only files:// URIs can be read', { uri, supported: supportedSchemes })
}

/** The file id that a URI names, or undefined for what is simply no file. The URI is never decoded or normalised. */
export function fileIdOf(uri: string): string | undefined {
  const id = uri.slice(prefix.length)
  return fileIdPattern.test(id) ? id : undefined
}

/** The file id that the parameters of a read name, if they are any and it is one. */
export function fileIdIn(params: unknown): string | undefined {
  const parsed = ReadParams.safeParse(params)
  return parsed.success && parsed.data.uri.startsWith(prefix) ? fileIdOf(parsed.data.uri) : undefined
}

/** What a list asks for, or undefined when no file can match. Throws `invalid-params`. */
export function parseListParams(params: unknown = {}): Wanted | undefined {
  if (isObject(params) && 'cursor' in params) {
    throw invalidParams('cursor is not supported, the whole list comes in one response', {
      cursor: echo(params.cursor),
    })
  }
  const parsed = ListParams.safeParse(params)
  if (!parsed.success) throw filterError(parsed.error.issues, params)
  const { mimeType, tags = [] } = parsed.data._meta?.filter ?? {}

  const wanted = [...new Set(tags.map((tag) => tag.normalize('NFC')))]
  if (wanted.length > maxFilterTags)
    throw invalidParams(`a filter may name at most ${maxFilterTags} different tags`)
  const media = mimeType === undefined ? undefined : parseMediaType(mimeType)
  if ((mimeType !== undefined && !media) || !wanted.every(isPossibleTag)) return undefined
  return { essence: media?.essence, types: media && shownTypes(media), tags: wanted }
}

/**
 * The types that a file which declared this may be shown with: a text that was decoded has lost its charset, one that
 * came out as a blob has kept it. Undefined when the filter has no parameters, which means any.
 */
function shownTypes(media: MediaType): string[] | undefined {
  const type = isTextType(media.essence) ? decodedType(media) : media.text
  return type === media.essence ? undefined : [...new Set([type, media.text])]
}

/** True for a tag that some file may carry: 1–256 bytes of well-formed Unicode. */
export function isPossibleTag(tag: string): boolean {
  return tag !== '' && tag.isWellFormed() && Buffer.byteLength(tag) <= maxTagBytes
}

/** The error for the first thing wrong with a filter; unknown members come first. */
function filterError(issues: readonly z.core.$ZodIssue[], params: unknown): Error {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')
  if (unknown) {
    const supported = Object.keys(Filter.shape)
    return invalidParams('the filter has members that are not supported', {
      unknown: unknown.keys,
      supported,
    })
  }
  const path = issues[0]?.path ?? []
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), params)
  if (path.at(-1) === 'scheme') {
    return invalidParams('only the scheme "files" can be listed', {
      scheme: echo(value),
      supported: supportedSchemes,
    })
  }
  const place = ['params', ...path].join('.')
  return invalidParams(`${place} has the wrong type`, { receivedType: typeName(value) })
}

/** The value as an error repeats it: null when it is nested so deeply that writing it could overflow the stack. */
function echo(value: unknown): unknown {
  return isShallow(value, 100) ? value : null
}

function isShallow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return true
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1))
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}
