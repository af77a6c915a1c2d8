/**
 * What is settled about an object's bytes when it is indexed: type, size, gzip, and the encoding in which a text is
 * valid (contract 3, 3a). Text and gzip are read once, streaming, and never further than the read limit.
 */
import { probeCharset } from './charset.ts'
import type { Content } from './file.ts'
import { gunzip, isGzipError } from './gzip.ts'
import { decodedType, fileType, isTextType } from './media.ts'
import type { ObjectStore, StoredObject } from './objects.ts'

/** The bytes of an object have come after so many milliseconds and as many more as its size takes at this pace. */
const readMs = 10_000
const slowestBytesPerMs = 128

/**
 * The facts about the object under `key` as it was `found`; `name` gives the type where none was declared. Undefined
 * when that version is gone by the time its bytes are asked for.
 */
export async function settle(
  objects: ObjectStore,
  key: string,
  found: StoredObject,
  name: string,
  maxReadBytes: number,
): Promise<Content | undefined> {
  const media = fileType(found.contentType, name)
  const blob: Content = {
    type: media.text,
    size: found.size,
    storedSize: found.size,
    etag: found.etag,
    versionId: found.versionId,
    charset: undefined,
    gzip: false,
    oversize: false,
  }
  const encoding = (found.contentEncoding ?? '').trim().toLowerCase()
  const gzip = encoding === 'gzip' && found.size > 0 // no bytes hold nothing, where a decoder misses a header
  const encoded = !['', 'identity', 'gzip', 'aws-chunked'].includes(encoding)
  const isText = isTextType(media.essence) && !encoded
  if (!gzip && !isText) return blob
  // unread, it must not turn into a blob once the limit is raised
  if (!gzip && found.size > maxReadBytes) return { ...blob, oversize: true }

  const inTime = AbortSignal.timeout(readMs + Math.ceil(found.size / slowestBytesPerMs))
  const stored = await objects.open({ key, ...found }, inTime)
  if (stored === undefined) return undefined
  const probe = probeCharset(media.charset)
  try {
    const size = await measure(gzip ? gunzip(stored) : stored, maxReadBytes, (bytes) => probe.push(bytes))
    if (size > maxReadBytes) return { ...blob, gzip, oversize: true }
    const charset = isText ? probe.finish() : undefined
    return { ...blob, gzip, size, charset, type: charset === undefined ? media.text : decodedType(media) }
  } catch (error) {
    if (isGzipError(error)) return blob
    throw error
  }
}

async function measure(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onBytes: (bytes: Uint8Array) => void,
): Promise<number> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxBytes) break
    onBytes(chunk)
  }
  return size
}
