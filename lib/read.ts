/**
 * Read (contract 3): {take a token ∥ look up} → visible? → size → open the pinned version → encode. Everything that
 * can fail is settled before the first byte; a refused read never opens the object.
 */
import { type Caller, canRead } from './access.ts'
import { type Chunk, encodeBase64, encodeText } from './encode.ts'
import { ResolverError, unavailable } from './errors.ts'
import type { Content, Readable } from './file.ts'
import type { FileIndex } from './files.ts'
import { gunzip } from './gzip.ts'
import { noFileId } from './keys.ts'
import type { ObjectStore } from './objects.ts'
import { fileIdOf, parseReadParams } from './params.ts'
import type { Throttle } from './throttle.ts'

/** What a read works with. */
export interface ReadDeps {
  readonly files: FileIndex
  readonly objects: ObjectStore
  readonly throttle: Throttle
}

/** One read: for whom, of what, up to how many bytes, and until when. */
export interface ReadRequest {
  readonly caller: Caller
  readonly params: unknown
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** A file whose bytes are known, and the URI by which the caller asked for it. */
interface Target {
  readonly uri: string
  readonly file: Readable
  readonly content: Content
}

/** The JSON of a read's result, as chunks. Throws every error of contract 3 before there is a first one. */
export async function read(deps: ReadDeps, request: ReadRequest): Promise<AsyncGenerator<Chunk>> {
  const admission = deps.throttle.take(request.caller)
  const lookup = lookUp(deps, request)
  lookup.catch(() => {}) // a refused caller is told of the refusal and of nothing else
  await admission
  return openTarget(deps, request, await lookup)
}

/** The file that the request names, if the caller may see it. A malformed id costs the same look-up as any other. */
async function lookUp(deps: ReadDeps, { caller, params, signal }: ReadRequest): Promise<Target> {
  const uri = parseReadParams(params)
  const file = await deps.files.find(caller.workspaceId, fileIdOf(uri) ?? noFileId, signal)
  if (file?.state !== 'ready' || !file.content || !canRead(caller, file)) {
    throw new ResolverError('not-found', { data: { uri } })
  }
  return { uri, file, content: file.content }
}

async function openTarget(
  deps: ReadDeps,
  request: ReadRequest,
  target: Target,
): Promise<AsyncGenerator<Chunk>> {
  const { uri, file, content } = target
  const { maxBytes, signal } = request
  if (content.oversize || content.size > maxBytes) {
    throw new ResolverError('too-large', { data: { uri, size: content.size, maxSize: maxBytes } })
  }
  const { etag, versionId, storedSize: size } = content
  const bytes = await deps.objects.open({ key: file.objectKey, etag, versionId, size }, signal)
  return bytes ? render(target, bytes) : reopen(deps, request, target)
}

/** The indexed version is gone: either a newer one has been indexed meanwhile, or the file is no more. */
async function reopen(deps: ReadDeps, request: ReadRequest, gone: Target): Promise<AsyncGenerator<Chunk>> {
  const target = await lookUp(deps, request)
  if (target.content.versionId !== gone.content.versionId || target.content.etag !== gone.content.etag) {
    return openTarget(deps, request, target)
  }
  throw new ResolverError('not-found', { data: { uri: gone.uri } })
}

async function* render({ uri, content }: Target, stored: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  const bytes = content.gzip ? exactly(gunzip(stored), content.size) : releasing(stored)
  const { charset } = content
  const member = charset === undefined ? 'blob' : 'text'
  const head = { uri, mimeType: content.type }
  yield Buffer.from(`{"contents":[${JSON.stringify(head).slice(0, -1)},"${member}":"`)
  yield* charset === undefined ? encodeBase64(bytes) : encodeText(bytes, charset)
  yield '"}]}'
}

/**
 * The chunks, each good until the next is asked for: its memory is given back then, if nothing else shares it, and not
 * when garbage is collected, which a hundred reads at once would have to wait for with 64 MiB in hand.
 */
async function* releasing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    const { buffer, byteLength } = chunk
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  }
}

async function* exactly(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let decoded = 0
  for await (const chunk of bytes) {
    decoded += chunk.length
    if (decoded > size) break
    yield chunk
  }
  if (decoded !== size) throw unavailable(`The object decodes to ${decoded} bytes where ${size} were indexed`)
}
