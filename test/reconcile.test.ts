/**
 * Reconciling: every difference between bucket and table is repaired, nothing else is touched, and a second run finds
 * nothing to do. The damage is done with plain clients, as it would be in life.
 */
import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createIndexStores } from '../functions/stores.ts'
import { createDynamo, createS3 } from '../functions/wiring.ts'
import { shareFile, unshareFile } from '../lib/change.ts'
import { type FileItem, rowsOf } from '../lib/file.ts'
import { reconcile } from '../lib/reconcile.ts'
import { removeFile } from '../lib/remove.ts'
import { announceFile } from '../lib/store.ts'
import type { ReconcileStores } from '../lib/work.ts'
import { answering, type ProxiedService, startProxiedService } from './proxy.ts'
import { atEachCall, interrupted } from './steps.ts'

let proxied: ProxiedService
let stores: ReconcileStores
let s3: S3Client
let dynamo: DynamoDBClient
beforeAll(async () => {
  proxied = await startProxiedService()
  stores = createIndexStores(proxied.service.config, proxied.service.environment)
  s3 = createS3(proxied.service.environment)
  dynamo = createDynamo()
})
afterAll(() => proxied.close())
beforeEach(async () => {
  await reconcile(stores)
})

const Bucket = 'files-bucket'
const TableName = 'files'
const upload = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
const erase = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }))

/** What is in the table, whole. */
async function table(): Promise<NonNullable<ScanCommandOutput['Items']>> {
  const { Items = [], LastEvaluatedKey } = await dynamo.send(new ScanCommand({ TableName }))
  expect(LastEvaluatedKey).toBeUndefined()
  return Items.sort((a, b) => (`${a.pk?.S} ${a.sk?.S}` < `${b.pk?.S} ${b.sk?.S}` ? -1 : 1))
}

async function wipe(which: (pk: string) => boolean): Promise<void> {
  for (const { pk, sk } of await table()) {
    if (pk && sk && which(pk.S ?? ''))
      await dynamo.send(new DeleteItemCommand({ TableName, Key: { pk, sk } }))
  }
}

/** The summary without what was walked, and without zeros. */
async function repaired(options: Parameters<typeof reconcile>[1] = {}) {
  const { objects: _, items: __, done: ___, refused: ____, ...counts } = await reconcile(stores, options)
  return Object.fromEntries(Object.entries(counts).filter(([, times]) => times !== 0))
}

const names = async (workspace: string, user = 'ana', filter?: unknown) =>
  (await proxied.service.list(filter, { workspace, user })).body.result.resources.map(
    (resource: { name: string }) => resource.name,
  )

let count = 0
const freshKey = (workspace: string) => {
  count += 1
  return `files/${workspace}/ana/fl_${String(count).padStart(24, '0')}/lost.txt`
}

test('a bucket and a table that agree are left alone, to the letter', async () => {
  await proxied.service.put('x', { workspaceId: 'agree', tags: ['a', 'b'], shared: true, readers: ['ben'] })
  await announceFile(stores, { workspaceId: 'agree', ownerId: 'ana', name: 'announced.txt' })
  await removeFile(stores, await proxied.service.put('x', { workspaceId: 'agree' }))
  const before = await table()
  expect(await repaired()).toEqual({})
  expect(await table()).toEqual(before)
})

test('an object whose event was lost is indexed, private to its owner', async () => {
  await upload(freshKey('lost'), 'x')
  expect(await repaired()).toEqual({ restored: 1 })
  expect(await names('lost')).toEqual(['lost.txt'])
  expect(await names('lost', 'ben')).toEqual([])
})

test('an announced file whose event was lost is completed, with tags and access', async () => {
  const file = await announceFile(stores, {
    workspaceId: 'announced',
    ownerId: 'ana',
    name: 'a.txt',
    tags: ['t'],
    shared: true,
  })
  await upload(file.objectKey, 'x')
  expect(await repaired()).toEqual({ completed: 1 })
  expect(await names('announced', 'ben', { tags: ['t'] })).toEqual(['a.txt'])
})

test('an announced file whose object never came stays as it is, visible to nobody, until DynamoDB forgets it', async () => {
  const file = await announceFile(stores, { workspaceId: 'never', ownerId: 'ana', name: 'a.txt' })
  expect(await repaired()).toEqual({})
  expect(await stores.files.get('never', file.fileId)).toEqual(file)
  expect(Math.round(((file.expiresAtSec ?? 0) - Date.now() / 1_000) / 86_400)).toBe(30)
})

test('a file of an older version than its object is indexed anew', async () => {
  const file = await proxied.service.put('old', { workspaceId: 'stale', shared: true, tags: ['t'] })
  await upload(file.objectKey, 'newer')
  expect(await repaired()).toEqual({ refreshed: 1 })
  expect(
    (await proxied.service.read(`files://${file.fileId}`, { workspace: 'stale', user: 'ben' })).text,
  ).toContain('newer')
})

test('the same bytes as another version are indexed anew, since the old version may go', async () => {
  const file = await proxied.service.put('same', { workspaceId: 'same' })
  await upload(file.objectKey, 'same')
  expect(await repaired()).toEqual({ refreshed: 1 })
})

test('a file without its object is removed, and back as it was when the object is', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'gone', readers: ['ben'], tags: ['t'] })
  const { VersionId } = await erase(file.objectKey)
  expect(await repaired()).toEqual({ removed: 1 })
  expect(await names('gone')).toEqual([])
  await s3.send(new DeleteObjectCommand({ Bucket, Key: file.objectKey, VersionId }))
  expect(await repaired()).toEqual({ revived: 1 })
  expect(await names('gone', 'ben', { tags: ['t'] })).toEqual(['file.txt'])
})

test('a deletion that left its object is finished', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'crashed' })
  const { objects } = stores
  const crash = () => Promise.reject(new Error('crash'))
  await expect(removeFile({ ...stores, objects: { ...objects, remove: crash } }, file)).rejects.toThrow(
    'crash',
  )
  expect(await repaired()).toEqual({ finished: 1 })
  expect(await objects.head(file.objectKey)).toBeUndefined()
  expect(await names('crashed')).toEqual([])
})

test('missing index rows are written, and wrong ones corrected', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'rows', tags: ['a', 'b'], shared: true })
  const rows = (await table()).filter(({ pk }) => pk?.S?.startsWith('list#rows#'))
  expect(rows).toHaveLength(8)
  const [first, second, third] = rows
  if (!first?.pk || !first.sk || !second || !third) throw new Error('rows are missing')
  await dynamo.send(new DeleteItemCommand({ TableName, Key: { pk: first.pk, sk: first.sk } }))
  await dynamo.send(new PutItemCommand({ TableName, Item: { ...second, json: { S: '{"name":"wrong"}' } } }))
  await dynamo.send(new PutItemCommand({ TableName, Item: { ...third, only: { SS: ['mallory'] } } }))
  expect(await repaired()).toEqual({ rowsPut: 3 })
  expect((await table()).filter(({ pk }) => pk?.S?.startsWith('list#rows#'))).toEqual(rows)
  expect(await stores.files.get('rows', file.fileId)).toEqual(file)
})

test('rows that no file has are removed: of a file that is gone, of an audience that lost it, and broken ones', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'strays', name: 'secret.txt' })
  const [row] = (await table()).filter(({ pk }) => pk?.S?.startsWith('list#strays#'))
  if (!row) throw new Error('rows are missing')
  const pk = { S: 'list#strays#user:ben#all' }
  await dynamo.send(new PutItemCommand({ TableName, Item: { ...row, pk } }))
  await dynamo.send(new PutItemCommand({ TableName, Item: { ...row, pk: { S: 'list#strays#shared#all' } } }))
  const sk = { S: '2020-01-01T00:00:00.000Z#fl_aaaaaaaaaaaaaaaaaaaaaaaa' }
  await dynamo.send(new PutItemCommand({ TableName, Item: { ...row, pk, sk } }))
  await dynamo.send(new PutItemCommand({ TableName, Item: { pk, sk: { S: `2020#${file.fileId}` } } }))
  expect(await repaired()).toEqual({ rowsRemoved: 4 })
  expect(await names('strays', 'ben')).toEqual([])
  expect(await names('strays')).toEqual(['secret.txt'])
})

test('after the loss of all items every file is back, private to its owner and without tags', async () => {
  const shared = await proxied.service.put('1', { workspaceId: 'loss', shared: true, tags: ['t'] })
  await proxied.service.put('2', { workspaceId: 'loss', name: 'b.txt', readers: ['ben'] })
  await proxied.service.put('3', { workspaceId: 'loss', ownerId: 'ben', name: 'c.txt' })
  await wipe(() => true)
  const { restored, rowsRemoved } = await repaired()
  expect(restored).toBeGreaterThanOrEqual(3)
  expect(rowsRemoved).toBeUndefined()
  expect((await names('loss')).sort()).toEqual(['b.txt', 'file.txt'])
  expect(await names('loss', 'ben')).toEqual(['c.txt'])
  expect(await names('loss', 'ana', { tags: ['t'] })).toEqual([])
  expect(await stores.files.get('loss', shared.fileId)).toMatchObject({
    visibility: 'private',
    readers: [],
    tags: [],
  })
  expect(await repaired()).toEqual({})
})

test('after the loss of file items alone their old rows, which were wider, go', async () => {
  await proxied.service.put('x', { workspaceId: 'wider', shared: true, readers: ['ben'], tags: ['t'] })
  await wipe((pk) => pk.startsWith('file#wider'))
  expect(await names('wider', 'carl')).toEqual(['file.txt'])
  expect((await repaired()).restored).toBe(1)
  expect(await repaired()).toEqual({})
  expect(await names('wider', 'carl')).toEqual([])
  expect(await names('wider', 'ben')).toEqual([])
  expect(await names('wider')).toEqual(['file.txt'])
})

test('after the loss of rows alone every listing is back as it was', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'relist', shared: true, tags: ['t'] })
  await wipe((pk) => pk.startsWith('list#relist'))
  expect(await repaired()).toEqual({ rowsPut: 6 })
  expect(await names('relist', 'carl', { tags: ['t'] })).toEqual(['file.txt'])
  expect(rowsOf(file)).toHaveLength(6)
})

test('objects that cannot be files are counted and put into quarantine, once', async () => {
  await upload('files/backup/notes.txt', 'x')
  const first = await reconcile(stores)
  const second = await reconcile(stores)
  expect(second.refused).toBe(first.refused)
  const { refusals } = await stores.refusals.list()
  expect(refusals.filter(({ key }) => key === 'files/backup/notes.txt')).toHaveLength(1)
  await erase('files/backup/notes.txt')
})

test('a dry run tells all of it and changes nothing', async () => {
  const [gone, stale, rows] = await Promise.all(
    ['gone', 'stale', 'rows'].map((name) => proxied.service.put('x', { workspaceId: 'dry', name })),
  )
  await erase(gone?.objectKey ?? '')
  await upload(stale?.objectKey ?? '', 'newer')
  await upload(freshKey('dry'), 'x')
  await wipe((pk) => pk.startsWith('list#dry') && pk.includes('type'))
  const before = await table()
  const found = { restored: 1, removed: 1, refreshed: 1, rowsPut: 3 }
  expect(await repaired({ dryRun: true, walk: 'dry' })).toEqual(found)
  expect(await table()).toEqual(before)
  expect(await repaired()).toMatchObject({ restored: 1, removed: 1, refreshed: 1 })
  expect(await repaired()).toEqual({})
  expect((await names('dry')).sort()).toEqual(['lost.txt', 'rows', 'stale'])
  expect(rows?.name).toBe('rows')
})

test('a walk that is stopped goes on from there, and a finished one leaves nothing behind', async () => {
  await upload(freshKey('resumed'), 'x')
  const answers = [false, true]
  const stopped = await reconcile(stores, { walk: 'test', isOver: () => answers.shift() ?? true })
  expect(stopped.done).toBe(false)
  expect(await stores.survey.loadCursor('test')).toMatch(/^\{/)
  const rest = await reconcile(stores, { walk: 'test' })
  expect(rest.done).toBe(true)
  expect(stopped.objects * rest.objects).toBe(0)
  expect(stopped.objects + rest.objects).toBeGreaterThan(0)
  expect(await stores.survey.loadCursor('test')).toBeUndefined()
  expect(await names('resumed')).toEqual(['lost.txt'])
})

test.each(['nonsense', '{"page":7}'])('a walk whose place reads %s begins anew', async (place) => {
  await upload(freshKey('unplaced'), 'x')
  await stores.survey.saveCursor('test', place)
  expect(await reconcile(stores, { walk: 'test' })).toMatchObject({ restored: 1, done: true })
  expect(await stores.survey.loadCursor('test')).toBeUndefined()
})

test('while S3 fails nothing is taken for deleted, and what could not be checked is counted', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'outage' })
  proxied.s3.fault = (req, res, pass) =>
    req.method === 'HEAD' ? answering(404, '', 'text/plain')(req, res, pass) : pass()
  expect((await repaired()).failed).toBeGreaterThan(0)
  proxied.s3.fault = answering(404, '<Error><Code>NoSuchBucket</Code></Error>', 'application/xml')
  await expect(reconcile(stores)).rejects.toThrow('Internal error')
  proxied.heal()
  expect(await stores.files.get('outage', file.fileId)).toEqual(file)
})

test('an item that is not as we write it is reported, and the others are repaired', async () => {
  const Item = { pk: { S: 'file#odd#fl_000000000000000000000000' }, sk: { S: 'file' }, state: { S: 'odd' } }
  await dynamo.send(new PutItemCommand({ TableName, Item }))
  await upload(freshKey('odd'), 'x')
  expect(await repaired()).toEqual({ restored: 1, failed: 1 })
  await dynamo.send(new DeleteItemCommand({ TableName, Key: { pk: Item.pk, sk: Item.sk } }))
})

test('a reader who is taken off, or a file that is deleted, at any storage call of a repair gets no row back', async () => {
  await wipe(() => true)
  let count = 0
  for (const change of [
    (file: FileItem) => unshareFile(stores, file, { readers: ['ben'] }),
    (file: FileItem) => removeFile(stores, file),
  ]) {
    await atEachCall(async (at) => {
      count += 1
      const workspaceId = `repair${count}`
      const file = await proxied.service.put('x', { workspaceId, readers: ['ben'] })
      await wipe((pk) => pk.startsWith(`list#${workspaceId}#user:ben`))
      const watched = interrupted(stores, at, () => change(file))
      await reconcile(watched.stores)
      if (watched.calls() > at) expect(await names(workspaceId, 'ben')).toEqual([])
      else expect(await names(workspaceId, 'ben')).toEqual(['file.txt'])
      await wipe((pk) => pk.includes(`#${workspaceId}#`))
      await erase(file.objectKey)
      return watched
    })
  }
})

test('beside live traffic nothing is lost and nobody sees more', async () => {
  const files = await Promise.all(
    Array.from({ length: 8 }, (_, i) => proxied.service.put('x', { workspaceId: 'live', name: `f${i}` })),
  )
  let isOver = false
  const traffic = async () => {
    for (const file of files) {
      await shareFile(stores, file, { readers: ['ben'] })
      await upload(file.objectKey, 'y')
      await unshareFile(stores, file, { readers: ['ben'] })
    }
    for (const file of files.slice(0, 3)) await removeFile(stores, file)
    isOver = true
  }
  const repairing = async () => {
    while (!isOver) await reconcile(stores)
  }
  await Promise.all([traffic(), repairing()])
  await reconcile(stores)
  expect(await repaired()).toEqual({})
  expect(await names('live')).toHaveLength(5)
  expect(await names('live', 'ben')).toEqual([])
})
