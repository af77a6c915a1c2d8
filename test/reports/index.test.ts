/**
 * Faults of indexes in DynamoDB met in public (group E of the collection): pages, batches, transactions, limits.
 */
import { BatchGetItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createIndexStores } from '../../functions/stores.ts'
import { createDynamo } from '../../functions/wiring.ts'
import { retagFile, shareFile, tagFile, unshareFile } from '../../lib/change.ts'
import { ResolverError } from '../../lib/errors.ts'
import { rowsOf } from '../../lib/file.ts'
import { reconcile } from '../../lib/reconcile.ts'
import { removeFile } from '../../lib/remove.ts'
import { createSurvey, type Survey } from '../../lib/survey.ts'
import { answering, type ProxiedService, startProxiedService } from '../proxy.ts'

let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService()
})
afterAll(() => proxied.close())
afterEach(() => proxied.heal())

const json = 'application/x-amz-json-1.0'

/** Answers the first calls of an operation so, and lets the others through. */
function answerFirst(operation: string, times: number, body: object): void {
  let left = times
  proxied.dynamo.fault = (req, res, pass) => {
    if (left === 0 || !String(req.headers['x-amz-target']).endsWith(operation)) return pass()
    left -= 1
    answering(200, JSON.stringify(body), json)(req, res, pass)
  }
}

const names = async (workspace: string, filter?: unknown, user = 'ana') =>
  (await proxied.service.list(filter, { workspace, user })).body.result.resources.map(
    ({ name }: { name: string }) => name,
  )

test('an empty page with a key to go on from is no end, in listings and in walks of the table (E02)', async () => {
  await proxied.service.put('x', { workspaceId: 'pages', name: 'a.txt' })
  const LastEvaluatedKey = { pk: { S: 'list#' }, sk: { S: '0' } }
  answerFirst('Query', 2, { Items: [], Count: 0, ScannedCount: 9, LastEvaluatedKey })
  expect(await names('pages')).toEqual(['a.txt'])

  const stores = createIndexStores(proxied.service.config, proxied.service.environment)
  answerFirst('Scan', 1, { Items: [], Count: 0, ScannedCount: 9, LastEvaluatedKey })
  const { next } = await stores.survey.page()
  expect(next).toEqual({ pk: 'list#', sk: '0' })
})

test.each([{}, null])('a key to go on from that is %j is the end (E03)', async (LastEvaluatedKey) => {
  answerFirst('Query', 100, { Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey })
  expect(await names('pages')).toEqual([])
  answerFirst('Scan', 100, { Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey })
  const stores = createIndexStores(proxied.service.config, proxied.service.environment)
  expect(await stores.survey.page()).toEqual({ files: [], rows: [], unreadable: [], next: undefined })
})

/** A survey whose DynamoDB leaves a third of each batch unprocessed, the first times that it is asked. */
function forgetfulSurvey(times: number): { survey: Survey; asked: number[] } {
  const client: DynamoDBClient = createDynamo()
  const send = client.send.bind(client)
  const asked: number[] = []
  let left = times
  client.send = async (command: never) => {
    const batch: unknown = command
    if (!(batch instanceof BatchGetItemCommand)) return send(command)
    const keys = batch.input.RequestItems?.files?.Keys ?? []
    asked.push(keys.length)
    if (left === 0) return send(command)
    left -= 1
    const kept = Math.ceil((keys.length * 2) / 3)
    const request = new BatchGetItemCommand({
      RequestItems: { files: { Keys: keys.slice(0, kept), ConsistentRead: true } },
    })
    const answer = await send(request)
    return { ...answer, UnprocessedKeys: { files: { Keys: keys.slice(kept) } } }
  }
  return { survey: createSurvey(client, 'files'), asked }
}

test('what a batch leaves unprocessed is asked for again, until all is there (E04)', async () => {
  const tags = Array.from({ length: 40 }, (_, i) => `t${i}`)
  const file = await proxied.service.put('x', { workspaceId: 'batch', tags })
  const { survey, asked } = forgetfulSurvey(2)
  const rows = await survey.rowsAt(rowsOf(file))
  expect(new Set(rows.map(({ pk }) => pk)).size).toBe(42)
  expect(asked).toEqual([42, 14, 4])
})

test('a batch that is never processed whole is storage trouble, and no absence (E04, E12)', async () => {
  answerFirst('BatchGetItem', 1_000, {
    Responses: {},
    UnprocessedKeys: { files: { Keys: [{ pk: { S: 'a' }, sk: { S: 'b' } }] } },
  })
  const { survey } = createIndexStores(proxied.service.config, proxied.service.environment)
  await expect(survey.rowsAt([{ pk: 'a', sk: 'b' }])).rejects.toThrow('Internal error')
}, 60_000)

test('twenty changes of the tags at once are one after the other, and the file is there all along (E06)', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'conflict' })
  const who = { workspace: 'conflict' }
  const codes = new Set<unknown>()
  let isOver = false
  const reading = async () => {
    while (!isOver) codes.add((await proxied.service.read(`files://${file.fileId}`, who)).body.error?.code)
  }
  const changes = Array.from({ length: 20 }, (_, i) => tagFile(proxied.service.stores, file, [`t${i}`]))
  const read = reading()
  await Promise.all(changes)
  isOver = true
  await read
  expect([...codes]).toEqual([undefined])
  const after = await proxied.service.stores.files.get('conflict', file.fileId)
  expect(after?.tags).toHaveLength(20)
  for (let i = 0; i < 20; i += 1) expect(await names('conflict', { tags: [`t${i}`] })).toHaveLength(1)

  await Promise.all(['a', 'b', 'c', 'd'].map((tag) => retagFile(proxied.service.stores, file, [tag])))
  const tags = (await proxied.service.stores.files.get('conflict', file.fileId))?.tags
  expect([['a'], ['b'], ['c'], ['d']]).toContainEqual(tags)
})

test('reserved words are names like others, in every filter alone and in all together (E07)', async () => {
  await proxied.service.put('x', {
    workspaceId: 'words',
    name: 'size',
    tags: ['name', 'key', 'owner', 'tags'],
  })
  for (const filter of [
    undefined,
    { scheme: 'files' },
    { mimeType: 'application/octet-stream' },
    { tags: ['name'] },
    { scheme: 'files', mimeType: 'application/octet-stream', tags: ['key', 'name', 'owner', 'tags'] },
  ]) {
    expect(await names('words', filter)).toEqual(['size'])
  }
})

test('an instance that has just served a file denies it from when it is taken back or deleted (E09)', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'revoked' })
  const code = async (user: string) =>
    (await proxied.service.read(`files://${file.fileId}`, { workspace: 'revoked', user })).body.error?.code
  await shareFile(proxied.service.stores, file, { readers: ['ben'] })
  expect(await code('ben')).toBeUndefined()
  await unshareFile(proxied.service.stores, file, { readers: ['ben'] })
  expect(await code('ben')).toBe(-32002)
  expect(await code('ana')).toBeUndefined()
  await removeFile(proxied.service.stores, file)
  expect(await code('ana')).toBe(-32002)
})

test('a file with 150 tags of 200 characters is refused whole, and nothing of it is written (E11)', async () => {
  const tags = Array.from({ length: 150 }, (_, i) => `${i}`.padStart(200, 'x'))
  const fileId = 'fl_0123456789abcdef01234567'
  const stored = proxied.service.put('x', { workspaceId: 'limits', fileId, tags })
  await expect(stored).rejects.toSatisfy((error) => error instanceof ResolverError && error.code === 'limit')
  expect(await proxied.service.stores.files.get('limits', fileId)).toBeUndefined()

  const file = await proxied.service.put('x', { workspaceId: 'limits', fileId, tags: ['a'] })
  await expect(retagFile(proxied.service.stores, file, tags)).rejects.toThrow('at most 4096 fit')
  expect(await names('limits', { tags: ['a'] })).toEqual(['file.txt'])
})

test('a table that throttles everything stops a walk, and is taken for no empty one (E12)', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'throttled' })
  const body = { __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException' }
  proxied.dynamo.fault = answering(400, JSON.stringify(body), json)
  const stores = createIndexStores(proxied.service.config, proxied.service.environment)
  await expect(reconcile(stores)).rejects.toThrow('Internal error')
  proxied.heal()
  expect(await stores.files.get('throttled', file.fileId)).toEqual(file)
})

test('an item whose name was written by hand as another type is storage trouble, and no missing file', async () => {
  const file = await proxied.service.put('x', { workspaceId: 'by-hand' })
  const pk = { S: `file#by-hand#${file.fileId}` }
  const Item = { pk, sk: { S: 'file' }, state: { S: 'ready' }, name: { N: '5' } }
  await createDynamo().send(new PutItemCommand({ TableName: 'files', Item }))
  const { status, body } = await proxied.service.read(`files://${file.fileId}`, { workspace: 'by-hand' })
  expect([status, body.error.code]).toEqual([503, -32603])
})
