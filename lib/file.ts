/**
 * A file as the index holds it, and the rows that make it listable. `rowsOf` is pure: what a listing may show follows
 * from the file item alone, so item and rows can be written, compared and repaired together.
 */
import type { Guarded } from './access.ts'
import { type Audience, type Facet, listingKey, listingSortKey } from './keys.ts'
import { maxRows } from './limits.ts'
import { essenceOf } from './media.ts'

/** What was found out about an object's bytes when it was indexed; a read needs nothing else to stream them. */
export interface Content {
  /** Media type as it is shown (contract 3a). */
  readonly type: string
  /** Bytes of the file: decoded ones for gzip, stored ones if those would pass the read limit. */
  readonly size: number
  /** Bytes of the stored object. */
  readonly storedSize: number
  readonly etag: string
  /** Version of the object that these facts belong to; absent in a bucket without versions. */
  readonly versionId: string | undefined
  /** Encoding in which the bytes are valid text; absent for a blob. */
  readonly charset: string | undefined
  /** Stored with `Content-Encoding: gzip` and served decoded. */
  readonly gzip: boolean
  /** Has, or decodes to, more bytes than the read limit had when it was indexed, whatever `size` says. */
  readonly oversize: boolean
}

/** The file item: a pending file is visible to nobody, a deleted one is a tombstone that stays for a while. */
export interface FileItem extends Guarded {
  readonly state: 'pending' | 'ready' | 'deleted'
  readonly fileId: string
  readonly name: string
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string
  readonly tags: readonly string[]
  readonly objectKey: string
  /** Rises by one with every write; each write is conditional on it. */
  readonly revision: number
  /** Known from the time the object was first indexed. */
  readonly content: Content | undefined
  /** Readers who were taken off while the file stayed shared: their rows stay as long as it does. */
  readonly formerReaders: readonly string[]
  /** It was shared and has readers left: the workspace's rows stay, for those readers only. */
  readonly formerlyShared: boolean
  /**
   * Who deleted it: the host, for good; or somebody in the bucket, and then the file is back when its object is. Absent
   * means the host.
   */
  readonly deletedBy?: 'host' | 'bucket' | undefined
  /** Tells the latest announcement from those before it, whose bytes came too late or will. */
  readonly attempt?: string | undefined
  /** When DynamoDB may forget a tombstone, or an announced file whose object never came, in epoch seconds. */
  readonly expiresAtSec: number | undefined
}

/** What a read needs of a file. Nothing whose size tells of the file is in it but what decides who may see it. */
export type Readable = Guarded & Pick<FileItem, 'state' | 'revision' | 'objectKey' | 'content'>

/** One index row: a place in one listing partition, with what a listing needs. */
export interface Row {
  readonly pk: string
  readonly sk: string
  /** The resource as it goes on the wire. */
  readonly json: string
  readonly type: string
  readonly tags: readonly string[]
  /** When present, only these users may see the row. */
  readonly only: readonly string[] | undefined
}

/** The index rows of a file: one for each (audience, facet), none unless it is ready. */
export function rowsOf(file: FileItem): Row[] {
  const { content } = file
  if (file.state !== 'ready' || content === undefined) return []
  const sk = listingSortKey(file.createdAt, file.fileId)
  const json = JSON.stringify({
    uri: `files://${file.fileId}`,
    name: file.name,
    mimeType: content.type,
    size: content.size,
  })
  return audiencesOf(file).flatMap(({ audience, only }) =>
    facetsOf(file.tags, content.type).map((facet) => ({
      pk: listingKey(file.workspaceId, audience, facet),
      sk,
      json,
      type: content.type,
      tags: file.tags,
      only,
    })),
  )
}

/** How many rows a file takes by its present access alone; more than `maxRows` cannot be stored. */
export function countRows(file: Pick<FileItem, 'ownerId' | 'visibility' | 'readers' | 'tags'>): number {
  const users = new Set([file.ownerId, ...file.readers])
  return (users.size + (file.visibility === 'shared' ? 1 : 0)) * (2 + file.tags.length)
}

/**
 * The file after a change of access, with the audiences it must not leave at once. A listing asks for "mine" and for
 * "everyone's" separately; a reader who is taken off a shared file, or put on one before it is unshared, sees it
 * all along, and must find it in either partition at either moment.
 */
export function withFormerAudiences(before: FileItem, after: FileItem): FileItem {
  const shared = after.visibility === 'shared'
  const gone = [...before.readers, ...before.formerReaders].filter((user) => !after.readers.includes(user))
  const wasShared = before.visibility === 'shared' || before.formerlyShared
  const changed = {
    ...after,
    formerReaders: shared ? [...new Set(gone)] : [],
    formerlyShared: !shared && wasShared && after.readers.length > 0,
  }
  const rows = audiencesOf(changed).length * (2 + changed.tags.length)
  return rows <= maxRows ? changed : { ...changed, formerReaders: [], formerlyShared: false }
}

function audiencesOf(file: FileItem): { audience: Audience; only: readonly string[] | undefined }[] {
  const users = new Set([file.ownerId, ...file.readers, ...file.formerReaders])
  const mine = [...users].map((userId) => ({ audience: { userId }, only: undefined }))
  if (file.visibility === 'shared') return [...mine, { audience: 'shared', only: undefined }]
  return file.formerlyShared ? [...mine, { audience: 'shared', only: file.readers }] : mine
}

function facetsOf(tags: readonly string[], type: string): Facet[] {
  return ['all', { essence: essenceOf(type) }, ...tags.map((tag) => ({ tag }))]
}
