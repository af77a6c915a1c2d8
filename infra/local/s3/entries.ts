/**
 * The shapes that the store keeps and the journal writes, one line a change. A version is written with everything about
 * it, so that a line is applied whole or not at all.
 */
import { z } from 'zod'
import { algorithms } from './checksum.ts'

const checksum = z.object({
  algorithm: z.enum(algorithms),
  value: z.string(),
  type: z.enum(['FULL_OBJECT', 'COMPOSITE']),
})
/** A stored checksum: base64, with `-N` behind it when it is a checksum of checksums. */
export type Checksum = z.infer<typeof checksum>

const description = z.object({
  /** Headers that are given back as they came: `content-type` and its kin, and `x-amz-meta-*`. */
  headers: z.record(z.string(), z.string()),
  storageClass: z.string(),
})
/** What a client says about an object besides its bytes. */
export type Description = z.infer<typeof description>

const version = description.extend({
  key: z.string(),
  /** `null` for a version written while the bucket was not versioned, or suspended. */
  versionId: z.string(),
  sequence: z.number(),
  modifiedMs: z.number(),
  /** Absent for a delete marker. */
  blob: z.string().optional(),
  size: z.number(),
  etag: z.string(),
  checksum: checksum.optional(),
})
/** One version of an object, or a delete marker. */
export type Version = z.infer<typeof version>

const part = z.object({
  number: z.number(),
  blob: z.string(),
  size: z.number(),
  md5: z.string(),
  modifiedMs: z.number(),
  checksum: checksum.optional(),
})
/** One uploaded part; `md5` is in hex. */
export type Part = z.infer<typeof part>

const upload = description.extend({
  id: z.string(),
  bucket: z.string(),
  key: z.string(),
  startedMs: z.number(),
  algorithm: z.enum(algorithms).optional(),
  checksumType: z.enum(['FULL_OBJECT', 'COMPOSITE']).optional(),
})
/** A multipart upload in progress. */
export type Upload = z.infer<typeof upload>

/** The settings that a bucket may have; each is a status or the XML document as it was put. */
export const settings = ['versioning', 'cors', 'notification'] as const
/** One of the settings. */
export type Setting = (typeof settings)[number]

/** One change of the store. */
export const Entry = z.discriminatedUnion('op', [
  z.object({ op: z.literal('bucket'), name: z.string(), createdMs: z.number() }),
  z.object({ op: z.literal('unbucket'), name: z.string() }),
  z.object({
    op: z.literal('setting'),
    bucket: z.string(),
    name: z.enum(settings),
    value: z.string().optional(),
  }),
  /** A new version; it replaces the null version if it is one, and ends the upload that it came from. */
  z.object({ op: z.literal('put'), bucket: z.string(), version, upload: z.string().optional() }),
  z.object({ op: z.literal('drop'), bucket: z.string(), key: z.string(), versionId: z.string() }),
  z.object({ op: z.literal('upload'), upload }),
  z.object({ op: z.literal('part'), upload: z.string(), part }),
  z.object({ op: z.literal('abort'), upload: z.string() }),
])
export type Entry = z.infer<typeof Entry>
