// Checks of single items, batches, time to live and the plain answers.

import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
  ResourceNotFoundException,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { expect, vi } from 'vitest'
import { type Check, key } from './dynamodb-checks.ts'

const absent = { ConditionExpression: 'attribute_not_exists(pk)' }
const returnOld = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }

/** Defines the checks of single items. */
export function itemChecks(check: Check): void {
  check(
    'a failed put, update and delete return the item that the condition was checked against',
    async (bench) => {
      const { client, table: TableName, put } = bench
      await put({ ...key('old'), v: { N: '1' }, tags: { SS: ['a', 'b'] } })
      const failures = await Promise.all([
        failure(client.send(new PutItemCommand({ TableName, Item: key('old'), ...absent, ...returnOld }))),
        failure(client.send(new DeleteItemCommand({ TableName, Key: key('old'), ...absent, ...returnOld }))),
        failure(
          client.send(
            new UpdateItemCommand({
              TableName,
              Key: key('old'),
              UpdateExpression: 'SET v = :v',
              ExpressionAttributeValues: { ':v': { N: '2' } },
              ...absent,
              ...returnOld,
            }),
          ),
        ),
      ])
      for (const error of failures) {
        expect(error.Item).toEqual({
          pk: { S: 'old' },
          sk: { S: '0' },
          v: { N: '1' },
          tags: { SS: ['a', 'b'] },
        })
      }
    },
  )

  check(
    'a failed write returns no item unless asked, nor where there is none',
    async ({ client, table, put }) => {
      await put(key('quiet'))
      const unasked = new PutItemCommand({ TableName: table, Item: key('quiet'), ...absent })
      expect((await failure(client.send(unasked))).Item).toBeUndefined()
      const nothing = { TableName: table, Item: key('nothing'), ...returnOld }
      const missing = new PutItemCommand({ ...nothing, ConditionExpression: 'attribute_exists(pk)' })
      expect((await failure(client.send(missing))).Item).toBeUndefined()
    },
  )

  check('64 callers on one item are each admitted exactly once up to the limit', async (bench) => {
    const { client, table, get } = bench
    const refused: (string | undefined)[] = []
    let admitted = 0
    const take = new UpdateItemCommand({
      TableName: table,
      Key: key('hot'),
      UpdateExpression: 'SET n = if_not_exists(n, :zero) + :one',
      ConditionExpression: 'attribute_not_exists(n) OR n < :limit',
      ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' }, ':limit': { N: '200' } },
      ...returnOld,
    })
    async function caller(): Promise<void> {
      for (let i = 0; i < 5; i++) {
        try {
          await client.send(take)
          admitted++
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
          refused.push(error.Item?.n?.N)
        }
      }
    }
    await Promise.all(Array.from({ length: 64 }, caller))
    expect(admitted).toBe(200)
    expect(refused).toEqual(Array.from({ length: 120 }, () => '200'))
    expect((await get('hot'))?.n).toEqual({ N: '200' })
  })

  check('a batch writes and deletes, and refuses the same key twice', async ({ client, table, put, get }) => {
    await put(key('batch', 'gone'))
    const Put = { PutRequest: { Item: { ...key('batch', 'new'), v: { S: 'x' } } } }
    const Delete = { DeleteRequest: { Key: key('batch', 'gone') } }
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: [Put, Delete] } }))
    expect(await get('batch', 'new')).toEqual({ pk: { S: 'batch' }, sk: { S: 'new' }, v: { S: 'x' } })
    expect(await get('batch', 'gone')).toBeUndefined()
    const twice = client.send(new BatchWriteItemCommand({ RequestItems: { [table]: [Put, Put] } }))
    await expect(twice).rejects.toThrow('Provided list of item keys contains duplicates')
  })

  check(
    'time to live is off, is turned on, and is refused when on already',
    async ({ client, table: TableName }) => {
      const describe = async () =>
        (await client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription
      expect(await describe()).toEqual({ TimeToLiveStatus: 'DISABLED' })
      const on = { TableName, TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } }
      const { TimeToLiveSpecification } = await client.send(new UpdateTimeToLiveCommand(on))
      expect(TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true })
      expect(await describe()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' })
      await expect(client.send(new UpdateTimeToLiveCommand(on))).rejects.toThrow(
        'TimeToLive is already enabled',
      )
    },
  )

  check('expired items are removed, and no others', async ({ put, get }) => {
    const nowSec = Math.floor(Date.now() / 1_000)
    await put({ ...key('ttl', 'past'), expires: { N: String(nowSec - 10) } })
    await put({ ...key('ttl', 'future'), expires: { N: String(nowSec + 3_600) } })
    await put({ ...key('ttl', 'ancient'), expires: { N: '1' } })
    await put({ ...key('ttl', 'text'), expires: { S: String(nowSec - 10) } })
    await put(key('ttl', 'none'))
    await vi.waitFor(async () => expect(await get('ttl', 'past')).toBeUndefined(), {
      timeout: 30_000,
      interval: 200,
    })
    for (const sk of ['future', 'ancient', 'text', 'none']) expect(await get('ttl', sk)).toBeDefined()
  })

  check('a table that does not exist is a ResourceNotFoundException', async ({ client }) => {
    const get = new GetItemCommand({ TableName: 'no-such-table', Key: key('x') })
    await expect(client.send(get)).rejects.toBeInstanceOf(ResourceNotFoundException)
  })

  check('continuous backups are described', async ({ client, table }) => {
    const { ContinuousBackupsDescription: backups } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: table }),
    )
    expect(backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('DISABLED')
  })
}

async function failure(call: Promise<unknown>): Promise<ConditionalCheckFailedException> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ConditionalCheckFailedException)) throw error ?? new Error('the condition held')
  return error
}
