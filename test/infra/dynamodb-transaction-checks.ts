// Checks of transactions: all or nothing, the reasons, tokens, reads, the cost.

import {
  IdempotentParameterMismatchException,
  QueryCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { type Bench, type Check, key } from './dynamodb-checks.ts'

const absent = { ConditionExpression: 'attribute_not_exists(pk)' }
const present = { ConditionExpression: 'attribute_exists(pk)' }
const returnOld = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }

/** Defines the checks of transactions. */
export function transactionChecks(check: Check): void {
  check('put, update, delete and condition check happen together', async (bench) => {
    const { table: TableName, put, get } = bench
    await put(key('all', 'delete'))
    await put({ ...key('all', 'check'), v: { N: '7' } })
    await transact(bench, [
      { Put: { TableName, Item: { ...key('all', 'put'), g: { S: 'all' } }, ...absent } },
      { Update: { TableName, Key: key('all', 'update'), ...set('n', '1') } },
      { Delete: { TableName, Key: key('all', 'delete'), ...present } },
      {
        ConditionCheck: {
          TableName,
          Key: key('all', 'check'),
          ConditionExpression: 'v = :v',
          ExpressionAttributeValues: { ':v': { N: '7' } },
        },
      },
      { ConditionCheck: { TableName, Key: key('all', 'nothing'), ...absent } },
    ])
    expect(await get('all', 'put')).toEqual({ pk: { S: 'all' }, sk: { S: 'put' }, g: { S: 'all' } })
    expect(await get('all', 'update')).toEqual({ pk: { S: 'all' }, sk: { S: 'update' }, n: { N: '1' } })
    expect(await get('all', 'delete')).toBeUndefined()
    expect(await get('all', 'check')).toEqual({ pk: { S: 'all' }, sk: { S: 'check' }, v: { N: '7' } })
    expect(await get('all', 'nothing')).toBeUndefined()
  })

  check('a cancelled transaction tells each reason in order, and leaves no trace', async (bench) => {
    const { table: TableName, put, get } = bench
    const before = { ...key('none', 'kept'), a: { S: 'old' }, g: { S: 'none-old' } }
    await put(before)
    await put({ ...key('none', 'here'), a: { S: 'keep' } })
    await put({ ...key('none', 'text'), n: { S: 'not a number' } })
    const error = await canceled(bench, [
      { Put: { TableName, Item: { ...key('none', 'kept'), a: { S: 'new' }, g: { S: 'none-new' } } } },
      { Put: { TableName, Item: key('none', 'here'), ...absent, ...returnOld } },
      { Put: { TableName, Item: key('none', 'new') } },
      { Delete: { TableName, Key: key('none', 'absent'), ...present, ...returnOld } },
      { Update: { TableName, Key: key('none', 'text'), ...add('n', '1') } },
      { Update: { TableName, Key: key('none', 'updated'), ...set('n', '1') } },
    ])
    expect(error.CancellationReasons).toMatchObject([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: { pk: { S: 'none' }, sk: { S: 'here' }, a: { S: 'keep' } },
      },
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      { Code: 'ValidationError', Message: 'An operand in the update expression has an incorrect data type' },
      { Code: 'None' },
    ])
    expect(error.CancellationReasons?.[3]?.Item).toBeUndefined()
    expect(error.message).toContain(
      '[None, ConditionalCheckFailed, None, ConditionalCheckFailed, ValidationError, None]',
    )
    expect(await get('none', 'kept')).toEqual(before)
    expect(await get('none', 'here')).toEqual({ pk: { S: 'none' }, sk: { S: 'here' }, a: { S: 'keep' } })
    expect(await get('none', 'new')).toBeUndefined()
    expect(await get('none', 'updated')).toBeUndefined()
    expect(await countInGroup(bench, 'none-old')).toBe(1)
    expect(await countInGroup(bench, 'none-new')).toBe(0)
  })

  check('a failed condition check returns the old item only when asked', async (bench) => {
    const { table: TableName, put } = bench
    await put({ ...key('check'), v: { N: '1' } })
    const Check = { TableName, Key: key('check'), ...absent }
    const asked = await canceled(bench, [{ ConditionCheck: { ...Check, ...returnOld } }])
    expect(asked.CancellationReasons?.[0]?.Item).toEqual({
      pk: { S: 'check' },
      sk: { S: '0' },
      v: { N: '1' },
    })
    const unasked = await canceled(bench, [{ ConditionCheck: Check }])
    expect(unasked.CancellationReasons?.[0]?.Item).toBeUndefined()
  })

  check('what is wrong in itself is refused as a whole', async (bench) => {
    const { table: TableName, get } = bench
    const Put = { TableName, Item: key('wrong') }
    await expect(
      transact(bench, [{ Put }, { Delete: { TableName, Key: key('wrong') } }]),
    ).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'Transaction request cannot include multiple operations on one item',
    })
    const syntax = { Update: { TableName, Key: key('wrong', '1'), UpdateExpression: 'SET SET' } }
    await expect(transact(bench, [{ Put }, syntax])).rejects.toMatchObject({ name: 'ValidationException' })
    const elsewhere = { Put: { TableName: 'no-such-table', Item: key('wrong') } }
    await expect(transact(bench, [{ Put }, elsewhere])).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
    const keyless = { Delete: { TableName, Key: { pk: { S: 'wrong' } } } }
    await expect(transact(bench, [{ Put }, keyless])).rejects.toMatchObject({ name: 'ValidationException' })
    expect(await get('wrong')).toBeUndefined()
  })

  check('100 actions are carried out, 101 and none are refused', async (bench) => {
    const { table: TableName, get } = bench
    const puts = (count: number): TransactWriteItem[] =>
      Array.from({ length: count }, (_, i) => ({ Put: { TableName, Item: key('hundred', String(i)) } }))
    await expect(transact(bench, puts(101))).rejects.toThrow(
      'Member must have length less than or equal to 100',
    )
    expect(await get('hundred', '0')).toBeUndefined()
    await expect(transact(bench, [])).rejects.toThrow('Member must have length greater than or equal to 1')
    await transact(bench, puts(100))
    expect(await get('hundred', '99')).toEqual({ pk: { S: 'hundred' }, sk: { S: '99' } })
  })

  check('the same token is carried out once, and refused with another request', async (bench) => {
    const { table: TableName, get } = bench
    const token = `token-${Math.random()}`
    const once = [{ Update: { TableName, Key: key('token'), ...add('n', '1') } }]
    const start = [{ Put: { TableName, Item: { ...key('token'), n: { N: '0' } } } }]
    await transact(bench, start)
    await transact(bench, once, token)
    await transact(bench, once, token)
    expect((await get('token'))?.n).toEqual({ N: '1' })
    await expect(transact(bench, start, token)).rejects.toBeInstanceOf(IdempotentParameterMismatchException)
    expect((await get('token'))?.n).toEqual({ N: '1' })
  })

  check('a token of more than 36 characters is refused', async (bench) => {
    const Put = { TableName: bench.table, Item: key('long-token') }
    await expect(transact(bench, [{ Put }], 'x'.repeat(37))).rejects.toMatchObject({
      name: 'ValidationException',
    })
    await transact(bench, [{ Put }], 'x'.repeat(36))
  })

  check('a cancelled transaction does not use up its token', async (bench) => {
    const { table: TableName, put, get } = bench
    const token = `token-${Math.random()}`
    const items = [{ Update: { TableName, Key: key('retry'), ...add('n', '1'), ...present } }]
    await expect(transact(bench, items, token)).rejects.toBeInstanceOf(TransactionCanceledException)
    await put({ ...key('retry'), n: { N: '1' } })
    await transact(bench, items, token)
    expect((await get('retry'))?.n).toEqual({ N: '2' })
  })

  check('TransactGetItems answers in order, projected, empty where there is nothing', async (bench) => {
    const { client, table: TableName, put } = bench
    await put({ ...key('tget', 'a'), v: { N: '1' }, w: { S: 'x' } })
    await put({ ...key('tget', 'b'), v: { N: '2' } })
    const { Responses } = await client.send(
      new TransactGetItemsCommand({
        TransactItems: [
          { Get: { TableName, Key: key('tget', 'b') } },
          { Get: { TableName, Key: key('tget', 'nothing') } },
          {
            Get: {
              TableName,
              Key: key('tget', 'a'),
              ProjectionExpression: '#v',
              ExpressionAttributeNames: { '#v': 'v' },
            },
          },
        ],
      }),
    )
    expect(Responses).toEqual([
      { Item: { pk: { S: 'tget' }, sk: { S: 'b' }, v: { N: '2' } } },
      {},
      { Item: { v: { N: '1' } } },
    ])
  })

  check('a transaction costs twice its actions', async (bench) => {
    const { client, table: TableName } = bench
    const TransactItems = ['a', 'b'].map((sk) => ({ Put: { TableName, Item: key('tcost', sk) } }))
    const { ConsumedCapacity } = await client.send(
      new TransactWriteItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
    )
    expect(ConsumedCapacity).toMatchObject([{ TableName, CapacityUnits: 4 }])
  })
}

/** Sends one TransactWriteItems. */
export async function transact(
  { client }: Bench,
  TransactItems: TransactWriteItem[],
  token?: string,
): Promise<void> {
  await client.send(
    new TransactWriteItemsCommand({ TransactItems, ...(token && { ClientRequestToken: token }) }),
  )
}

async function canceled(bench: Bench, items: TransactWriteItem[]): Promise<TransactionCanceledException> {
  const error: unknown = await transact(bench, items).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof TransactionCanceledException)) throw error ?? new Error('the transaction succeeded')
  return error
}

async function countInGroup({ client, table }: Bench, group: string): Promise<number | undefined> {
  const query = new QueryCommand({
    TableName: table,
    IndexName: 'byGroup',
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': { S: group } },
  })
  return (await client.send(query)).Count
}

function set(name: string, value: string) {
  return {
    UpdateExpression: 'SET #a = :to',
    ExpressionAttributeNames: { '#a': name },
    ExpressionAttributeValues: { ':to': { N: value } },
  }
}

/** `SET name = name ± by`. */
export function add(name: string, by: string, sign: '+' | '-' = '+') {
  return {
    UpdateExpression: `SET #a = #a ${sign} :by`,
    ExpressionAttributeNames: { '#a': name },
    ExpressionAttributeValues: { ':by': { N: by } },
  }
}
