import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFileIndex, type FileIndex } from '../lib/files.ts'
import { type Service, startService } from './harness.ts'

let service: Service
let client: DynamoDBClient
let index: FileIndex
const sent: Record<string, unknown>[] = []

beforeAll(async () => {
  service = await startService()
  client = new DynamoDBClient({})
  client.middlewareStack.add(
    (next) => (args) => {
      sent.push({ ...args.input })
      return next(args)
    },
    { step: 'initialize' },
  )
  index = createFileIndex(client, 'files')
})
beforeEach(() => {
  sent.length = 0
})
afterAll(async () => {
  client.destroy()
  await service.close()
})

test('a file is looked up strongly consistently, by a key made from its workspace and id alone', async () => {
  const { fileId } = await service.put('x')
  expect((await index.get('acme', fileId))?.name).toBe('file.txt')
  expect(await index.get('other', fileId)).toBe(undefined)
  expect(sent).toEqual(
    ['acme', 'other'].map((workspace) => ({
      TableName: 'files',
      Key: { pk: { S: `file#${workspace}#${fileId}` }, sk: { S: 'file' } },
      ConsistentRead: true,
    })),
  )
})

test('a partition is queried strongly consistently, on the table itself, for two attributes', async () => {
  await service.put('x', { shared: true })
  const query = { pk: 'list#acme#shared#all', tags: [], userId: 'bob' }
  expect((await index.query(query)).rows).toHaveLength(1)
  expect(sent).toMatchObject([
    { TableName: 'files', ConsistentRead: true, ProjectionExpression: '#sk, #json' },
  ])
  expect(sent[0]).not.toHaveProperty('IndexName')
})

test('an item at another revision than expected is left as it is, with all its rows', async () => {
  const file = await service.put('x', { tags: ['a'] })
  await index.write(file, { ...file, tags: ['b'], revision: file.revision + 1 })
  const stale = index.write(file, { ...file, tags: ['c'], revision: file.revision + 1 })
  await expect(stale).rejects.toMatchObject({ code: 'conflict' })
  await expect(index.write(undefined, file)).rejects.toMatchObject({ code: 'conflict' })
  const found = async (tag: string) => {
    const { rows } = await index.query({ pk: `list#acme#user:ana#tag:${tag}`, tags: [], userId: 'ana' })
    return rows.length
  }
  expect([await found('a'), await found('b'), await found('c')]).toEqual([0, 1, 0])
})
