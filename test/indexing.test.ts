/**
 * The index follows the bucket, whoever changes it: each test changes objects with a plain S3 client and indexes keys,
 * as the indexer does when an event names them.
 */
import {
  DeleteObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIndexStores } from '../functions/stores.ts'
import { createS3 } from '../functions/wiring.ts'
import { retagFile, shareFile } from '../lib/change.ts'
import { type IndexStores, indexKey, listRefusals, retryRefusal } from '../lib/indexing.ts'
import { removeFile } from '../lib/remove.ts'
import { announceFile } from '../lib/store.ts'
import { answering, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
let stores: IndexStores
let s3: S3Client
beforeAll(async () => {
  proxied = await startProxiedService()
  stores = createIndexStores(proxied.service.config, proxied.service.environment)
  s3 = createS3(proxied.service.environment)
})
afterAll(() => proxied.close())

const Bucket = 'files-bucket'
let count = 0
function freshKey(workspaceId: string, name = 'a.txt') {
  count += 1
  const fileId = `fl_${String(count).padStart(24, '0')}`
  return { workspaceId, fileId, key: `files/${workspaceId}/ana/${fileId}/${name}`, uri: `files://${fileId}` }
}

const upload = (Key: string, Body: string, more: Partial<PutObjectCommandInput> = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const erase = (Key: string, VersionId?: string) =>
  s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
const names = async (workspace: string, user = 'ana') =>
  (await proxied.service.list(undefined, { workspace, user })).body.result.resources.map(
    ({ name, size }: { name: string; size: number }) => `${name} ${size}`,
  )
const text = async (uri: string, workspace: string, user = 'ana') => {
  const { result, error } = (await proxied.service.read(uri, { workspace, user })).body
  return error ? error.code : result.contents[0].text
}
const refused = async () => {
  const keys: string[] = []
  for await (const { key } of listRefusals(stores.refusals)) keys.push(key)
  return keys
}

test('an object that nobody announced is private to the owner in its key, without tags', async () => {
  const { key, uri, fileId } = freshKey('unknown', 'plan%20b.md')
  await upload(key, '# Plan')
  expect((await indexKey(stores, key)).result).toBe('indexed')
  expect(await names('unknown')).toEqual(['plan b.md 6'])
  expect(await text(uri, 'unknown')).toBe('# Plan')
  expect(await names('unknown', 'ben')).toEqual([])
  expect(await text(uri, 'unknown', 'ben')).toBe(-32002)
  const head = await stores.objects.head(key)
  const file = await stores.files.get('unknown', fileId)
  expect(file).toMatchObject({ tags: [], visibility: 'private', readers: [], revision: 1 })
  expect(file?.createdAt).toBe(head?.lastModified.toISOString())
})

test('a name is optional in a key', async () => {
  const { fileId, uri } = freshKey('nameless')
  const key = `files/nameless/ana/${fileId}`
  await upload(key, 'x', { ContentType: 'text/plain' })
  await indexKey(stores, key)
  expect(await names('nameless')).toEqual([`${fileId} 1`])
  expect(await text(uri, 'nameless')).toBe('x')
})

test('an announced file completes with its tags and access', async () => {
  const announced = await announceFile(stores, {
    workspaceId: 'announced',
    ownerId: 'ana',
    name: 'a.txt',
    tags: ['q3'],
    shared: true,
    createdAtMs: Date.UTC(2020, 0, 1),
  })
  expect(await indexKey(stores, announced.objectKey)).toMatchObject({ result: 'unchanged' })
  await upload(announced.objectKey, 'x')
  expect((await indexKey(stores, announced.objectKey)).result).toBe('indexed')
  const { resources } = (
    await proxied.service.list({ tags: ['q3'] }, { workspace: 'announced', user: 'ben' })
  ).body.result
  expect(resources).toHaveLength(1)
  const file = await stores.files.get('announced', announced.fileId)
  expect(file).toMatchObject({ createdAt: '2020-01-01T00:00:00.000Z', state: 'ready' })
  expect(file?.expiresAtSec).toBeUndefined()
})

test('a new version of the bytes resets neither tags nor access, and changes type and size', async () => {
  const file = await proxied.service.put('a,b', {
    workspaceId: 'version',
    name: 'a.csv',
    tags: ['t'],
    shared: true,
  })
  await upload(file.objectKey, '{"a":1}', { ContentType: 'Application/JSON; charset=utf-8' })
  expect((await indexKey(stores, file.objectKey)).result).toBe('indexed')
  const { resources } = (
    await proxied.service.list(
      { tags: ['t'], mimeType: 'application/json' },
      { workspace: 'version', user: 'ben' },
    )
  ).body.result
  expect(resources).toEqual([
    { uri: `files://${file.fileId}`, name: 'a.csv', mimeType: 'application/json', size: 7 },
  ])
  expect(
    (await proxied.service.list({ mimeType: 'text/csv' }, { workspace: 'version' })).body.result,
  ).toEqual({
    resources: [],
  })
})

test('indexing again changes nothing, and writes nothing', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'twice' })
  const calls = await proxied.callsOf(async () => {
    expect((await indexKey(stores, file.objectKey)).result).toBe('unchanged')
  })
  expect(calls).toHaveLength(2)
  expect(await stores.files.get('twice', file.fileId)).toEqual(file)
})

test('a deletion in the bucket deletes the file, and the object that is there again brings it back as it was', async () => {
  const file = await proxied.service.put('one', { workspaceId: 'bucket', tags: ['t'] })
  await shareFile(stores, file, { readers: ['ben'] })
  const { VersionId } = await erase(file.objectKey)
  expect((await indexKey(stores, file.objectKey)).result).toBe('removed')
  expect(await names('bucket')).toEqual([])
  expect(await text(`files://${file.fileId}`, 'bucket')).toBe(-32002)
  expect((await indexKey(stores, file.objectKey)).result).toBe('unchanged')

  await erase(file.objectKey, VersionId) // the marker goes (G10)
  expect((await indexKey(stores, file.objectKey)).result).toBe('indexed')
  expect(await text(`files://${file.fileId}`, 'bucket', 'ben')).toBe('one')
  expect(await names('bucket', 'carl')).toEqual([])
})

test('the removal of an old version leaves the present one listed and readable (G10)', async () => {
  const { key, uri } = freshKey('old-version')
  const first = await upload(key, '1')
  await upload(key, '22')
  await upload(key, '333')
  await indexKey(stores, key)
  await erase(key, first.VersionId)
  expect((await indexKey(stores, key)).result).toBe('unchanged')
  expect(await names('old-version')).toEqual(['a.txt 3'])
  expect(await text(uri, 'old-version')).toBe('333')
})

test('the removal of the present version brings the one before it back', async () => {
  const { key, uri } = freshKey('roll-back')
  await upload(key, '1')
  const second = await upload(key, '22')
  await indexKey(stores, key)
  await erase(key, second.VersionId)
  expect((await indexKey(stores, key)).result).toBe('indexed')
  expect(await text(uri, 'roll-back')).toBe('1')
})

test('a file that the host deleted stays deleted, whatever is uploaded, and its object goes', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'final' })
  await removeFile(stores, file)
  await upload(file.objectKey, 'back')
  await indexKey(stores, file.objectKey)
  expect(await names('final')).toEqual([])
  expect(await stores.objects.head(file.objectKey)).toBeUndefined()
  expect((await indexKey(stores, file.objectKey)).result).toBe('unchanged')
})

test('a deletion by the host makes one in the bucket final', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'made-final' })
  const { VersionId } = await erase(file.objectKey)
  await indexKey(stores, file.objectKey)
  await expect(removeFile(stores, file)).rejects.toThrow('has no file')
  await erase(file.objectKey, VersionId)
  await indexKey(stores, file.objectKey)
  expect(await text(`files://${file.fileId}`, 'made-final')).toBe(-32002)
})

test('a deletion leaves a tombstone also where no item was, and a first upload after it is a new file', async () => {
  const { key, fileId, uri } = freshKey('before')
  expect((await indexKey(stores, key)).result).toBe('removed')
  const tombstone = await stores.files.get('before', fileId)
  expect(tombstone).toMatchObject({ state: 'deleted', deletedBy: 'bucket', revision: 1 })
  const inDays = ((tombstone?.expiresAtSec ?? 0) - Date.now() / 1_000) / 86_400
  expect(Math.round(inDays)).toBe(30)
  await upload(key, 'x')
  await indexKey(stores, key)
  expect(await text(uri, 'before')).toBe('x')
  const { lastModified } = (await stores.objects.head(key)) ?? {}
  expect((await stores.files.get('before', fileId))?.createdAt).toBe(lastModified?.toISOString())
})

test('a day-old event after two overwrites finds the newest bytes and type (G11)', async () => {
  const { key, uri } = freshKey('late', 'a')
  await upload(key, 'a', { ContentType: 'text/plain' })
  await indexKey(stores, key)
  await upload(key, 'bb', { ContentType: 'text/html' })
  await upload(key, '{}', { ContentType: 'application/json' })
  await indexKey(stores, key)
  expect((await indexKey(stores, key)).result).toBe('unchanged')
  const { contents } = (await proxied.service.read(uri, { workspace: 'late' })).body.result
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: '{}' }])
})

test('what the object carries as metadata is neither tag nor access of the file (G08)', async () => {
  const { key, fileId } = freshKey('metadata')
  await upload(key, 'x', { Metadata: { tags: 'team', visibility: 'shared', owner: 'ben' } })
  await indexKey(stores, key)
  await retagFile(stores, { workspaceId: 'metadata', fileId }, ['mine'])
  await upload(key, 'y', { Metadata: { tags: 'other' } })
  await indexKey(stores, key)
  expect(await stores.files.get('metadata', fileId)).toMatchObject({
    tags: ['mine'],
    visibility: 'private',
    ownerId: 'ana',
  })
})

test('an upload without a type takes it from the name, in list and read alike (B14)', async () => {
  const notes = freshKey('untyped', 'notes.md')
  const data = freshKey('untyped', 'data.bin')
  await upload(notes.key, '# x', { ContentType: 'binary/octet-stream' })
  await upload(data.key, 'x', { ContentType: 'binary/octet-stream' })
  await Promise.all([notes, data].map(({ key }) => indexKey(stores, key)))
  const { resources } = (await proxied.service.list(undefined, { workspace: 'untyped' })).body.result
  expect(resources.map(({ mimeType }: { mimeType: string }) => mimeType).sort()).toEqual([
    'application/octet-stream',
    'text/markdown',
  ])
  const read = await proxied.service.read(notes.uri, { workspace: 'untyped' })
  expect(read.body.result.contents).toEqual([{ uri: notes.uri, mimeType: 'text/markdown', text: '# x' }])
})

test('indexing writes nothing to the bucket (G07)', async () => {
  const { key } = freshKey('quiet')
  await upload(key, 'x')
  const calls = await proxied.callsOf(() => indexKey(stores, key))
  expect(calls.filter((call) => call.startsWith('PUT') || call.startsWith('DELETE'))).toEqual([])
  expect(calls.length).toBeLessThan(8)
})

test('of two keys that claim one id the first owns it, and the other is refused until it is gone', async () => {
  const { fileId, key, uri } = freshKey('claim')
  const other = `files/claim/ben/${fileId}/b.txt`
  await upload(key, 'ana’s')
  await upload(other, 'ben’s')
  await indexKey(stores, key)
  expect(await indexKey(stores, other)).toEqual({
    result: 'refused',
    reason: `another key owns the file id: ${key}`,
  })
  expect(await text(uri, 'claim', 'ana')).toBe('ana’s')
  expect(await text(uri, 'claim', 'ben')).toBe(-32002)
  expect(await refused()).toContain(other)

  await erase(other)
  expect((await indexKey(stores, other)).result).toBe('unchanged')
  expect(await text(uri, 'claim', 'ana')).toBe('ana’s')
  await retryRefusal(stores, other)
  expect(await refused()).not.toContain(other)
})

test('two keys of one id that are indexed at once make one file', async () => {
  const { fileId, key } = freshKey('race')
  const other = `files/race/ben/${fileId}/b.txt`
  await Promise.all([upload(key, 'ana'), upload(other, 'ben')])
  const outcomes = await Promise.all([key, other].map((each) => indexKey(stores, each)))
  expect(outcomes.map(({ result }) => result).sort()).toEqual(['indexed', 'refused'])
  expect([...(await names('race')), ...(await names('race', 'ben'))]).toHaveLength(1)
})

test('an object outside the layout is put into quarantine with its reason, once', async () => {
  const key = 'incoming/a b.txt'
  await upload(key, 'x')
  await indexKey(stores, key, () => Date.UTC(2026, 0, 2))
  await indexKey(stores, key, () => Date.UTC(2026, 0, 3))
  const found = []
  for await (const refusal of listRefusals(stores.refusals)) if (refusal.key === key) found.push(refusal)
  expect(found).toEqual([
    {
      key: 'incoming/a b.txt',
      reason: 'the key is not files/<workspace>/<owner>/<file id>[/<name>]',
      refusedAt: '2026-01-02T00:00:00.000Z',
    },
  ])
})

const nothingHere = answering(404, '', 'text/plain')

test.each([
  ['the bucket is missing', '<Error><Code>NoSuchBucket</Code></Error>', 'application/xml'],
  ['a proxy knows no path', '', 'text/plain'],
  ['a proxy has a page of its own', '<html>Not Found</html>', 'text/html'],
])('%s, and no file is taken for deleted', async (_, body, type) => {
  const file = await proxied.service.put('x', { workspaceId: 'outage', name: 'kept.txt' })
  proxied.s3.fault = answering(404, body, type)
  await expect(indexKey(stores, file.objectKey)).rejects.toThrow('Internal error')
  proxied.heal()
  expect(await stores.files.get('outage', file.fileId)).toEqual(file)
})

test('a HEAD alone that says "not found" is not believed', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'head-lies' })
  proxied.s3.fault = (req, res, pass) => (req.method === 'HEAD' ? nothingHere(req, res, pass) : pass())
  await expect(indexKey(stores, file.objectKey)).rejects.toThrow('Internal error')
  proxied.heal()
  expect(await stores.files.get('head-lies', file.fileId)).toEqual(file)
})

test('an object of a name with signs that signatures trip over is indexed and read (B05)', async () => {
  const { key, uri } = freshKey('signs', '%28a%29%20%2A%20%27%21%5E%3A%2B.txt')
  await upload(key, 'x')
  await indexKey(stores, key)
  expect(await names('signs')).toEqual(["(a) * '!^:+.txt 1"])
  expect(await text(uri, 'signs')).toBe('x')
})

test('an object that is overwritten without end is left to its later events after twenty rounds', async () => {
  const { key } = freshKey('restless')
  let asked = 0
  const head: IndexStores['objects']['head'] = async (...args) => {
    asked += 1
    await upload(key, `version ${asked}`)
    return stores.objects.head(...args)
  }
  const restless = { ...stores, objects: { ...stores.objects, head } }
  await expect(indexKey(restless, key)).rejects.toMatchObject({ code: 'unavailable' })
  expect(asked).toBe(20)
})
