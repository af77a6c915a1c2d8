/**
 * One request, parsed: where it points, its parameters and its headers. The path is split by hand because a URL parser
 * would resolve `..` and `//`, which are ordinary parts of a key.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { percentDecode } from './encoding.ts'
import { S3Error } from './errors.ts'

const maxKeyBytes = 1024
const signatureParameters = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signature',
  'x-amz-signedheaders',
])

/** Header values by lower-case name. */
export type HeaderMap = Record<string, string>

/** A request as the operations see it; `bucket` and `key` are empty when the path stops before them. */
export interface Call {
  message: IncomingMessage
  method: string
  /** The path and the query as they were sent, for the signature. */
  path: string
  search: string
  bucket: string
  key: string
  query: URLSearchParams
  headers: HeaderMap
}

/** An answer; a stream is sent with the `content-length` that its headers promise. */
export interface Reply {
  status: number
  headers?: HeaderMap
  body?: string
  stream?: Readable
}

/** Parses a request, with the headers that a presigned URL carries in its query. */
export function parseCall(message: IncomingMessage): Call {
  const url = message.url ?? '/'
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const search = mark < 0 ? '' : url.slice(mark + 1)
  const slash = path.indexOf('/', 1)
  const query = new URLSearchParams(search)
  const call: Call = {
    message,
    method: message.method ?? 'GET',
    path,
    search,
    bucket: percentDecode(path.slice(1, slash < 0 ? undefined : slash)),
    key: slash < 0 ? '' : percentDecode(path.slice(slash + 1)),
    query,
    headers: { ...sentHeaders(message), ...queryHeaders(query) },
  }
  if (Buffer.byteLength(call.key) > maxKeyBytes) {
    throw new S3Error(
      400,
      'KeyTooLongError',
      'Your key is too long',
      {},
      { MaxSizeAllowed: String(maxKeyBytes) },
    )
  }
  return call
}

function sentHeaders(message: IncomingMessage): HeaderMap {
  const headers: HeaderMap = {}
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value
  }
  return headers
}

/** A presigner moves `x-amz-*` headers into the query, and S3 obeys them there. */
function queryHeaders(query: URLSearchParams): HeaderMap {
  if (!query.has('X-Amz-Signature')) return {}
  const headers: HeaderMap = {}
  for (const [name, value] of query) {
    const lower = name.toLowerCase()
    if (lower.startsWith('x-amz-') && !signatureParameters.has(lower)) headers[lower] = value
  }
  return headers
}
