// Checks of what others see while transactions run: never half of one.

import {
  BatchGetItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { type Bench, type Check, type Item, key } from './dynamodb-checks.ts'
import { add, transact } from './dynamodb-transaction-checks.ts'

/** Defines the checks of isolation. */
export function isolationChecks(check: Check): void {
  check('a transactional read never sees half of a transfer', async (bench) => {
    expect(await sumsDuringTransfers(bench, 'serial', [transactionalRead])).toEqual(new Set([1_000]))
  })

  // More than AWS promises, which isolates these reads item by item only.
  check('no query, scan or batch ever sees half of a transfer', async (bench) => {
    expect(await sumsDuringTransfers(bench, 'plain', [query, scan, batchRead])).toEqual(new Set([1_000]))
  })
}

type Read = (bench: Bench, pk: string) => Promise<(Item | undefined)[] | undefined>

const accounts = Array.from({ length: 10 }, (_, i) => String(i))

// Eight callers move money between ten accounts of 100, while a reader with a client of its own adds them up:
// behind the writers' busy sockets it would only ever see quiet moments.
async function sumsDuringTransfers(bench: Bench, pk: string, reads: Read[]): Promise<Set<number>> {
  for (const sk of accounts) await bench.put({ ...key(pk, sk), g: { S: pk }, n: { N: '100' } })
  const sums: number[] = []
  let over = false

  async function watch(): Promise<void> {
    for (let i = 0; !over; i++) {
      const items = await reads[i % reads.length]?.(bench, pk)
      sums.push((items ?? []).reduce((sum, item) => sum + Number(item?.n?.N), 0))
    }
  }

  async function move(caller: number): Promise<number> {
    let moved = 0
    for (let i = 0; i < 50; i++) {
      const [from, to] = [key(pk, String((caller + i) % 10)), key(pk, String((caller + i * 3 + 1) % 10))]
      if (from.sk?.S === to.sk?.S) continue
      moved += await transfer(bench, from, to, String(1 + ((i * 13 + caller) % 60)))
    }
    return moved
  }

  const watching = watch()
  const moved = await Promise.all(Array.from({ length: 8 }, (_, caller) => move(caller)))
  over = true
  await watching
  expect(moved.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(50)
  expect(sums.length).toBeGreaterThan(20)
  return new Set(sums)
}

async function transfer(bench: Bench, from: Item, to: Item, amount: string): Promise<0 | 1> {
  const TableName = bench.table
  const enough = { ConditionExpression: '#a >= :by' }
  try {
    await transact(bench, [
      { Update: { TableName, Key: to, ...add('n', amount) } },
      { Update: { TableName, Key: from, ...add('n', amount, '-'), ...enough } },
    ])
    return 1
  } catch (error) {
    // Not enough money, or on AWS a conflict.
    if (error instanceof TransactionCanceledException) return 0
    throw error
  }
}

const transactionalRead: Read = async ({ second, table }, pk) => {
  const TransactItems = accounts.map((sk) => ({ Get: { TableName: table, Key: key(pk, sk) } }))
  const { Responses } = await second.send(new TransactGetItemsCommand({ TransactItems }))
  return Responses?.map(({ Item }) => Item)
}

const query: Read = async ({ second, table }, pk) => {
  const values = { ConsistentRead: true, ExpressionAttributeValues: { ':pk': { S: pk } } }
  const command = new QueryCommand({ TableName: table, KeyConditionExpression: 'pk = :pk', ...values })
  return (await second.send(command)).Items
}

const scan: Read = async ({ second, table }, pk) => {
  const filter = { FilterExpression: 'g = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } }
  return (await second.send(new ScanCommand({ TableName: table, IndexName: 'byGroup', ...filter }))).Items
}

const batchRead: Read = async ({ second, table }, pk) => {
  const request = { Keys: accounts.map((sk) => key(pk, sk)), ConsistentRead: true }
  return (await second.send(new BatchGetItemCommand({ RequestItems: { [table]: request } }))).Responses?.[
    table
  ]
}
