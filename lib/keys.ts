/**
 * Every composite key, built and taken apart here and nowhere else. Each part is percent-encoded, so no choice of
 * workspace, user, tag, server or name can contain a separator and no two inputs make the same key.
 */

/** A file id: the current form, or the legacy one that hosts still hold (contract 3). */
export const fileIdPattern = /^fl_(?:[0-9a-f]{24}|[a-z0-9]{1,32}_[0-9a-f]{8})$/

/** The id that a URI which names no file is looked up under, so that it costs what a missing file costs. */
export const noFileId = 'none'

/** One part of a key: unreserved characters stay, all others are percent-encoded; `.` and `..` too (some HTTP stacks fold them). */
export function encodePart(part: string): string {
  const encoded = encodeURIComponent(part).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return encoded === '.' || encoded === '..' ? encoded.replaceAll('.', '%2E') : encoded
}

/** The part that `encodePart` made this from, or undefined when it made no such thing. */
export function decodePart(encoded: string): string | undefined {
  try {
    const part = decodeURIComponent(encoded)
    return encodePart(part) === encoded ? part : undefined
  } catch {
    return undefined
  }
}

/** Who owns an object and which file it is: what its key says. */
export interface ObjectName {
  workspaceId: string
  ownerId: string
  fileId: string
  name?: string
}

/** Begins every object key of the layout; what lies elsewhere in the bucket is not ours. */
export const objectPrefix = 'files/'

/** `files/<workspace>/<owner>/<file id>[/<name>]`. */
export function objectKey({ workspaceId, ownerId, fileId, name }: ObjectName): string {
  const path = `files/${encodePart(workspaceId)}/${encodePart(ownerId)}/${fileId}`
  return name === undefined ? path : `${path}/${encodePart(name)}`
}

/** The parts of an object's key, or undefined when it is outside the layout. */
export function parseObjectKey(key: string): ObjectName | undefined {
  const [root, workspace, owner, fileId, encodedName, ...rest] = key.split('/')
  if (root !== 'files' || !workspace || !owner || !fileId || rest.length > 0) return undefined
  const workspaceId = decodePart(workspace)
  const ownerId = decodePart(owner)
  if (!workspaceId || !ownerId || !fileIdPattern.test(fileId)) return undefined
  if (encodedName === undefined) return { workspaceId, ownerId, fileId }
  const name = decodePart(encodedName)
  return name ? { workspaceId, ownerId, fileId, name } : undefined
}

/** A key as S3 writes it in events and listings: percent-encoded, with `+` for a space. Throws for what is neither. */
export function decodeFormKey(encoded: string): string {
  return decodeURIComponent(encoded.replaceAll('+', ' '))
}

/** The primary key of an item of the Files table. */
export interface ItemKey {
  pk: string
  sk: string
}

/** Sort key of every file item: the partition is the file. */
export const fileSortKey = 'file'

/** The file item of (workspace, file id): another workspace's file cannot be addressed. */
export function fileKey(workspaceId: string, fileId: string): ItemKey {
  return { pk: `file#${encodePart(workspaceId)}#${fileId}`, sk: fileSortKey }
}

/** For whom a listing partition is: one user, or every member of the workspace. */
export type Audience = { userId: string } | 'shared'

/** What a listing partition holds: all files, those of one type (its essence), or those with one tag. */
export type Facet = 'all' | { essence: string } | { tag: string }

/** The partition of the index rows of one (audience, facet). */
export function listingKey(workspaceId: string, audience: Audience, facet: Facet): string {
  const who = audience === 'shared' ? 'shared' : `user:${encodePart(audience.userId)}`
  return `list#${encodePart(workspaceId)}#${who}#${facetKey(facet)}`
}

function facetKey(facet: Facet): string {
  if (facet === 'all') return 'all'
  return 'tag' in facet ? `tag:${encodePart(facet.tag)}` : `type:${encodePart(facet.essence)}`
}

/** The order of a listing: creation time (ISO 8601, UTC, milliseconds), then id. */
export function listingSortKey(createdAt: string, fileId: string): string {
  return `${createdAt}#${fileId}`
}

/** True for the partitions that `listingKey` makes. */
export function isListingKey(pk: string): boolean {
  return pk.startsWith('list#')
}

/** The file that an index row is of, or undefined when it is no row's key. */
export function fileOfRow({ pk, sk }: ItemKey): { workspaceId: string; fileId: string } | undefined {
  const workspaceId = isListingKey(pk) ? decodePart(pk.split('#')[1] ?? '') : undefined
  const fileId = sk.slice(sk.indexOf('#') + 1)
  return workspaceId && fileIdPattern.test(fileId) ? { workspaceId, fileId } : undefined
}

/** The token bucket of (workspace, server). */
export function bucketKey(workspaceId: string, serverId: string): string {
  return `${encodePart(workspaceId)}#${encodePart(serverId)}`
}
