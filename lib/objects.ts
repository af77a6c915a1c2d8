/**
 * The bytes, in S3. One of the places that know the AWS SDK. "Not there" is an answer; every other failure is
 * storage trouble, because an outage must not look like a missing file (contract 1).
 */

import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { unavailable } from './errors.ts'
import { decodeFormKey, objectPrefix } from './keys.ts'
import { uploadBody } from './source.ts'

/** The present state of an object, as S3 tells it. */
export interface StoredObject {
  readonly size: number
  readonly etag: string
  readonly versionId: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly lastModified: Date
}

/** Exactly which bytes: the version that was indexed, and how many there must be. */
export interface Pin {
  readonly key: string
  readonly etag: string
  readonly versionId: string | undefined
  readonly size: number
}

/** What is stored with an object besides its bytes. */
export interface PutOptions {
  readonly size: number
  readonly contentType: string | undefined
  readonly contentEncoding?: string | undefined
  /** What must be there: the object of this ETag, or none. Absent: whatever. */
  readonly over?: { readonly etag: string | undefined }
}

/** Which bytes were stored. */
export type Version = Pick<StoredObject, 'etag' | 'versionId'>

/** Some keys of objects, in order; `next` continues after them, undefined at the end. */
export interface KeyPage {
  readonly keys: readonly string[]
  readonly next: string | undefined
}

/** The operations on objects that the service and the hosts' side need. */
export interface ObjectStore {
  /** The object's present state, or undefined when the bucket is there and has none. */
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>
  /** The pinned bytes as S3 sends them, or undefined when that version is gone. Ends early or long: it throws. */
  open(pin: Pin, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>
  /**
   * Stores the bytes; undefined when something else is there than must be. A stream that breaks, or has another length,
   * fails with its own error and stores nothing.
   */
  put(key: string, body: Uint8Array | Readable, options: PutOptions): Promise<Version | undefined>
  /** Deletes the object; in a versioned bucket a marker hides it. No object is no error. */
  remove(key: string): Promise<void>
  /** One page of the keys of all objects under `files/`, from the one after `after`. */
  list(after?: string): Promise<KeyPage>
  /** Resolves when the bucket answers. */
  ping(signal?: AbortSignal): Promise<void>
}

/** How often HEAD may deny an object that a listing then shows: once is an object that has just come. */
const maxDenials = 3

/** An object store in one bucket. */
export function createObjectStore(client: S3Client, bucket: string): ObjectStore {
  async function listed(input: Partial<ListObjectsV2CommandInput>): Promise<ListObjectsV2CommandOutput> {
    try {
      // as URL-encoded text, since XML cannot hold every character of a key
      return await client.send(new ListObjectsV2Command({ Bucket: bucket, EncodingType: 'url', ...input }))
    } catch (error) {
      throw unavailable('ListObjectsV2 failed', error)
    }
  }

  /** HEAD has no body, so a missing bucket, or a proxy that knows no path, looks like a missing object; a list does not. */
  async function isListed(key: string): Promise<boolean> {
    const { Contents, KeyCount } = await listed({ Prefix: key, MaxKeys: 1 })
    if (KeyCount === undefined) throw unavailable('ListObjectsV2 answered without a count')
    return Contents?.[0]?.Key !== undefined && decodeFormKey(Contents[0].Key) === key
  }

  return {
    async head(key, signal) {
      for (let tries = 0; tries < maxDenials; tries += 1) {
        const found = await answered('HeadObject', missingByStatus, () =>
          client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), abortable(signal)),
        )
        if (found !== undefined) return storedObject(found)
        if (!(await isListed(key))) return undefined
      }
      throw unavailable('HeadObject denies an object that ListObjectsV2 lists')
    },

    async open(pin, signal) {
      const request = new GetObjectCommand({
        Bucket: bucket,
        Key: pin.key,
        VersionId: pin.versionId,
        IfMatch: pin.etag,
      })
      const found = await answered('GetObject', missingByName, () => client.send(request, abortable(signal)))
      if (found === undefined) return undefined
      const body = found.Body as Readable | undefined
      if (body === undefined || found.ContentLength !== pin.size) {
        body?.destroy()
        throw unavailable(`GetObject answered ${found.ContentLength} bytes where ${pin.size} were indexed`)
      }
      return exactly(body, pin.size, signal)
    },

    async put(key, body, options) {
      const broken = new AbortController()
      const request = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: body instanceof Uint8Array ? body : await uploadBody(body, options.size, broken),
        ContentLength: options.size,
        ContentType: options.contentType,
        ContentEncoding: options.contentEncoding,
        ...(options.over && conditionOf(options.over)),
      })
      const stored = await answered('PutObject', options.over ? anotherByName : [], () =>
        client.send(request, { abortSignal: broken.signal }),
      ).catch((error: unknown) => {
        throw broken.signal.aborted ? broken.signal.reason : error
      })
      if (options.over && !stored) return undefined
      if (!stored?.ETag) throw unavailable('PutObject answered without an ETag')
      return { etag: stored.ETag, versionId: stored.VersionId }
    },

    async remove(key) {
      const gone = await answered('DeleteObject', missingByName, () =>
        client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })),
      )
      const status = gone?.$metadata.httpStatusCode
      if (gone && status !== 204) throw unavailable(`DeleteObject answered ${status}, which is not S3's word`)
    },

    async list(after) {
      const start = after === undefined ? {} : { StartAfter: after }
      let page = await listed({ Prefix: objectPrefix, ...start })
      // S3 gives up a page where it finds nothing but deleted objects for long, and has still more to tell
      while (page.IsTruncated && page.NextContinuationToken && !page.Contents?.length) {
        page = await listed({ Prefix: objectPrefix, ContinuationToken: page.NextContinuationToken })
      }
      const keys = (page.Contents ?? []).map(({ Key }) => {
        if (Key === undefined) throw unavailable('ListObjectsV2 answered without a key')
        return decodeFormKey(Key)
      })
      if (page.IsTruncated && keys.length === 0) throw unavailable('ListObjectsV2 does not say how to go on')
      return { keys, next: page.IsTruncated ? keys.at(-1) : undefined }
    },

    async ping(signal) {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), abortable(signal))
    },
  }
}

function storedObject(found: HeadObjectCommandOutput): StoredObject {
  const { ContentLength: size, ETag: etag, LastModified: lastModified } = found
  if (size === undefined || etag === undefined || lastModified === undefined) {
    throw unavailable('HeadObject answered without size, ETag or date')
  }
  return {
    size,
    etag,
    versionId: found.VersionId,
    contentType: found.ContentType,
    contentEncoding: found.ContentEncoding,
    lastModified,
  }
}

/** How S3 says that something else is there than must be, or is just coming. */
const anotherByName = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey']

function conditionOf({ etag }: { readonly etag: string | undefined }) {
  return etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }
}

/** How S3 says in its body that there is no such object; any other 404 is not S3's word. */
const missingByName = ['NoSuchKey', 'NoSuchVersion']

/** HEAD carries no error body, so there a missing key is known by status alone. */
const missingByStatus = [...missingByName, 'NotFound']

/** The answer, undefined when the error's name is among `missing`, or storage trouble. */
async function answered<T>(
  operation: string,
  missing: readonly string[],
  send: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof Error && missing.includes(error.name)) return undefined
    throw unavailable(`${operation} failed`, error)
  }
}

/** SDK options that end a call when the signal does. */
function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {}
}

/**
 * The body's chunks, and an error unless exactly `size` bytes came. The socket is freed when the bytes have been read
 * or given up, and, from this call on, also when the signal aborts before anybody began to read.
 */
function exactly(body: Readable, size: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const abandon = () => body.destroy()
  body.on('error', () => {}) // seen by whoever iterates; without a listener it would end the process before that
  if (signal?.aborted) abandon()
  signal?.addEventListener('abort', abandon, { once: true })

  async function* chunks(): AsyncGenerator<Uint8Array> {
    let received = 0
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        received += chunk.length
        if (received > size) break
        yield chunk
      }
    } catch (error) {
      throw unavailable(`The object broke off after ${received} of ${size} bytes`, error)
    } finally {
      signal?.removeEventListener('abort', abandon)
      body.destroy()
    }
    if (received !== size) throw unavailable(`The object ended after ${received} of ${size} bytes`)
  }
  return chunks()
}
