/**
 * File items and index rows as DynamoDB attribute values, with every attribute name in this one place. What is read
 * is checked: an item that is not as we write it is storage answering nonsense.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unavailable } from './errors.ts'
import type { Content, FileItem, Readable, Row } from './file.ts'
import { fileKey } from './keys.ts'

/** A DynamoDB item as the SDK gives and takes it. */
export type Item = Record<string, AttributeValue>

/** The DynamoDB item of a file. */
export function toFileItem(file: FileItem): Item {
  const { pk, sk } = fileKey(file.workspaceId, file.fileId)
  return {
    pk: { S: pk },
    sk: { S: sk },
    state: { S: file.state },
    revision: { N: String(file.revision) },
    workspaceId: { S: file.workspaceId },
    fileId: { S: file.fileId },
    ownerId: { S: file.ownerId },
    name: { S: file.name },
    createdAt: { S: file.createdAt },
    objectKey: { S: file.objectKey },
    visibility: { S: file.visibility },
    ...stringSet('readers', file.readers),
    ...stringSet('tags', file.tags),
    ...stringSet('formerReaders', file.formerReaders),
    ...(file.formerlyShared ? { formerlyShared: { BOOL: true } } : {}),
    ...(file.deletedBy === undefined ? {} : { deletedBy: { S: file.deletedBy } }),
    ...(file.attempt === undefined ? {} : { attempt: { S: file.attempt } }),
    ...(file.expiresAtSec === undefined ? {} : { expiresAtSec: { N: String(file.expiresAtSec) } }),
    ...(file.content ? contentAttributes(file.content) : {}),
  }
}

/** The DynamoDB item of an index row. */
export function toRowItem(row: Row): Item {
  return {
    pk: { S: row.pk },
    sk: { S: row.sk },
    json: { S: row.json },
    type: { S: row.type },
    ...stringSet('tags', row.tags),
    ...stringSet('only', row.only ?? []),
  }
}

/** The index row of a DynamoDB item. */
export function fromRowItem(item: Item): Row {
  const only = readSet(item, 'only')
  return {
    pk: readText(item, 'pk'),
    sk: readText(item, 'sk'),
    json: readText(item, 'json'),
    type: readText(item, 'type'),
    tags: readSet(item, 'tags'),
    only: only.length > 0 ? only : undefined,
  }
}

/** The attributes that `fromReadableItem` reads. */
export const readableAttributes = [
  'state',
  'revision',
  'workspaceId',
  'ownerId',
  'visibility',
  'readers',
  'objectKey',
  'type',
  'size',
  'storedSize',
  'etag',
  'versionId',
  'charset',
  'gzip',
  'oversize',
] as const

/** What a read needs of the file of a DynamoDB item; what is absent of access reads as private. */
export function fromReadableItem(item: Item): Readable {
  return {
    state: readState(item),
    revision: readNumber(item, 'revision'),
    workspaceId: readText(item, 'workspaceId'),
    ownerId: readText(item, 'ownerId'),
    visibility: item.visibility?.S === 'shared' ? 'shared' : 'private',
    readers: readSet(item, 'readers'),
    objectKey: readText(item, 'objectKey'),
    content: item.etag ? readContent(item) : undefined,
  }
}

/** The file of a DynamoDB item. */
export function fromItem(item: Item): FileItem {
  const expiresAtSec = item.expiresAtSec && readNumber(item, 'expiresAtSec')
  return {
    ...fromReadableItem(item),
    fileId: readText(item, 'fileId'),
    name: readText(item, 'name'),
    createdAt: readText(item, 'createdAt'),
    tags: readSet(item, 'tags'),
    formerReaders: readSet(item, 'formerReaders'),
    formerlyShared: item.formerlyShared?.BOOL ?? false,
    attempt: item.attempt?.S,
    deletedBy: item.deletedBy?.S === 'bucket' ? 'bucket' : item.deletedBy && 'host',
    expiresAtSec,
  }
}

/** A string attribute that must be there. */
export function readText(item: Item, name: string): string {
  const value = item[name]?.S
  if (value === undefined) throw unavailable(`An item of the Files table has no text attribute "${name}"`)
  return value
}

/** A set in order, so that what is read compares with what is written; DynamoDB promises none. */
function readSet(item: Item, name: string): string[] {
  return [...(item[name]?.SS ?? [])].sort()
}

function readNumber(item: Item, name: string): number {
  const value = Number(item[name]?.N)
  if (!Number.isSafeInteger(value)) throw unavailable(`An item of the Files table has no number "${name}"`)
  return value
}

function readState(item: Item): FileItem['state'] {
  const state = readText(item, 'state')
  if (state === 'pending' || state === 'ready' || state === 'deleted') return state
  throw unavailable(`An item of the Files table has the unknown state "${state}"`)
}

function contentAttributes(content: Content): Item {
  return {
    type: { S: content.type },
    size: { N: String(content.size) },
    storedSize: { N: String(content.storedSize) },
    etag: { S: content.etag },
    ...(content.versionId === undefined ? {} : { versionId: { S: content.versionId } }),
    ...(content.charset === undefined ? {} : { charset: { S: content.charset } }),
    ...(content.gzip ? { gzip: { BOOL: true } } : {}),
    ...(content.oversize ? { oversize: { BOOL: true } } : {}),
  }
}

function readContent(item: Item): Content {
  return {
    type: readText(item, 'type'),
    size: readNumber(item, 'size'),
    storedSize: readNumber(item, 'storedSize'),
    etag: readText(item, 'etag'),
    versionId: item.versionId?.S,
    charset: item.charset?.S,
    gzip: item.gzip?.BOOL ?? false,
    oversize: item.oversize?.BOOL ?? false,
  }
}

/** DynamoDB has no empty set: an attribute of none is left out. */
function stringSet(name: string, values: readonly string[]): Item {
  return values.length > 0 ? { [name]: { SS: [...new Set(values)] } } : {}
}
