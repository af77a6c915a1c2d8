// Checks of queries: order, pages, filters, projections, what they say they cost.

import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { type Bench, type Check, type Item, key } from './dynamodb-checks.ts'

interface Page {
  count: number
  scanned: number
  items: Item[]
}

/** Defines the checks of queries. */
export function queryChecks(check: Check): void {
  check('string sort keys are in the order of their UTF-8 bytes', async (bench) => {
    const names = ['a', 'Z', '_', 'é', 'z', '\uffee', '😀', 'aa', 'a b', '~', '0', 'a/']
    for (const sk of names) await bench.put(key('order', sk))
    const [page] = await pages(bench, 'order')
    const sorted = page?.items.map(({ sk }) => sk?.S)
    // UTF-16 order would put 😀 (U+1F600) before U+FFEE.
    expect(sorted).toEqual(['0', 'Z', '_', 'a', 'a b', 'a/', 'aa', 'z', '~', 'é', '\uffee', '😀'])
  })

  check('ranges, prefixes and the reverse order', async (bench) => {
    for (const sk of ['a1', 'a2', 'b1', 'b2', 'c1']) await bench.put(key('range', sk))
    const keysOf = async (condition: string, values: Item, forward = true) => {
      const [page] = await pages(bench, 'range', {
        KeyConditionExpression: `pk = :pk AND ${condition}`,
        ExpressionAttributeValues: values,
        ScanIndexForward: forward,
      })
      return page?.items.map(({ sk }) => sk?.S)
    }
    expect(await keysOf('begins_with(sk, :p)', { ':p': { S: 'b' } })).toEqual(['b1', 'b2'])
    expect(await keysOf('sk > :p', { ':p': { S: 'a2' } })).toEqual(['b1', 'b2', 'c1'])
    expect(await keysOf('sk <= :p', { ':p': { S: 'b1' } }, false)).toEqual(['b1', 'a2', 'a1'])
    const between = { ':a': { S: 'a2' }, ':b': { S: 'b2' } }
    expect(await keysOf('sk BETWEEN :a AND :b', between)).toEqual(['a2', 'b1', 'b2'])
  })

  check('Limit counts before the filter, and a page may be empty and not the last', async (bench) => {
    for (let i = 0; i < 10; i++) {
      await bench.put({ ...key('filter', String(i)), kind: { S: i < 7 ? 'no' : 'yes' }, body: { S: 'b' } })
    }
    const found = await pages(bench, 'filter', {
      Limit: 3,
      FilterExpression: 'kind = :k',
      ExpressionAttributeValues: { ':k': { S: 'yes' } },
      ProjectionExpression: 'sk',
    })
    expect(found.map(({ count, scanned }) => [count, scanned])).toEqual([
      [0, 3],
      [0, 3],
      [2, 3],
      [1, 1],
    ])
    expect(found.flatMap(({ items }) => items)).toEqual([
      { sk: { S: '7' } },
      { sk: { S: '8' } },
      { sk: { S: '9' } },
    ])
  })

  check('a page that Limit ends at the very last item still has a LastEvaluatedKey', async (bench) => {
    for (const sk of ['1', '2']) await bench.put(key('exact', sk))
    const found = await pages(bench, 'exact', { Limit: 2 })
    expect(found.map(({ count }) => count)).toEqual([2, 0])
  })

  check('pages end at 1 MB of items, whatever is projected or filtered', async (bench) => {
    const body = { S: 'x'.repeat(100_000) }
    for (let i = 0; i < 25; i++)
      await bench.put({ ...key('large', String(i).padStart(2, '0')), body, n: { N: '1' } })
    const whole = await pages(bench, 'large')
    const scanned = whole.map((page) => page.scanned)
    expect(scanned).toEqual([11, 11, 3])
    const projected = await pages(bench, 'large', { ProjectionExpression: 'n' })
    expect(projected.map((page) => page.scanned)).toEqual([11, 11, 3])
    const filtered = await pages(bench, 'large', {
      FilterExpression: 'n = :n',
      ExpressionAttributeValues: { ':n': { N: '2' } },
    })
    expect(filtered.map(({ count, scanned }) => [count, scanned])).toEqual([
      [0, 11],
      [0, 11],
      [0, 3],
    ])
  })

  check('a global index is queried, and follows a changed item', async (bench) => {
    const group = { IndexName: 'byGroup', KeyConditionExpression: 'g = :pk', ConsistentRead: false }
    await bench.put({ ...key('member'), g: { S: 'red' } })
    expect((await pages(bench, 'red', group))[0]?.count).toBe(1)
    await bench.put({ ...key('member'), g: { S: 'blue' } })
    expect((await pages(bench, 'red', group))[0]?.count).toBe(0)
    expect((await pages(bench, 'blue', group))[0]?.count).toBe(1)
  })

  check('consumed capacity is told when asked', async ({ client, table, put }) => {
    await put({ ...key('cost'), body: { S: 'x'.repeat(5_000) } })
    const asked = { TableName: table, ReturnConsumedCapacity: 'TOTAL' as const, ConsistentRead: true }
    const got = await client.send(new GetItemCommand({ ...asked, Key: key('cost') }))
    expect(got.ConsumedCapacity).toMatchObject({ TableName: table, CapacityUnits: 2 })
    const values = { ':pk': { S: 'cost' } }
    const query = { ...asked, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: values }
    const queried = await client.send(new QueryCommand(query))
    expect(queried.ConsumedCapacity).toMatchObject({ TableName: table, CapacityUnits: 2 })
    const { ConsistentRead: _, ...writing } = asked
    const written = await client.send(new PutItemCommand({ ...writing, Item: key('cost', '1') }))
    expect(written.ConsumedCapacity).toMatchObject({ TableName: table, CapacityUnits: 1 })
  })
}

async function pages(
  { client, table }: Bench,
  pk: string,
  extra: Partial<QueryCommandInput> = {},
): Promise<Page[]> {
  const found: Page[] = []
  let start: Item | undefined
  do {
    const output = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ConsistentRead: true,
        ...extra,
        ExpressionAttributeValues: { ':pk': { S: pk }, ...extra.ExpressionAttributeValues },
        ...(start && { ExclusiveStartKey: start }),
      }),
    )
    found.push({ count: output.Count ?? -1, scanned: output.ScannedCount ?? -1, items: output.Items ?? [] })
    start = output.LastEvaluatedKey
  } while (start)
  return found
}
