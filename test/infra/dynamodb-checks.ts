// What this project needs of a DynamoDB, as checks that any endpoint can be held to: the local one, others that
// stand in for AWS, or AWS. Each check makes its own items, and all of them share one table of a random name.

import { randomUUID } from 'node:crypto'
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { isolationChecks } from './dynamodb-isolation-checks.ts'
import { itemChecks } from './dynamodb-item-checks.ts'
import { queryChecks } from './dynamodb-query-checks.ts'
import { transactionChecks } from './dynamodb-transaction-checks.ts'

/** One endpoint under test: two clients with sockets of their own, and how to let go of it. */
export interface DynamoTarget {
  client: DynamoDBClient
  second: DynamoDBClient
  close(): Promise<void>
}

/** What a check works with. */
export interface Bench {
  client: DynamoDBClient
  second: DynamoDBClient
  table: string
  put(item: Item): Promise<void>
  get(pk: string, sk?: string): Promise<Item | undefined>
}

/** An item as the plain client has it. */
export type Item = Record<string, AttributeValue>

/** Defines one check, unless it is skipped by its name. */
export type Check = (name: string, body: (bench: Bench) => Promise<void>) => void

/** The key of an item of the checks' table. */
export function key(pk: string, sk = '0'): Item {
  return { pk: { S: pk }, sk: { S: sk } }
}

/** Holds the endpoint that `start` gives to all checks, except those whose names are in `skip`. */
export function dynamoChecks(
  name: string,
  start: () => Promise<DynamoTarget>,
  { skip = [] }: { skip?: string[] } = {},
): void {
  describe(name, () => {
    let target: DynamoTarget
    let bench: Bench

    beforeAll(async () => {
      target = await start()
      bench = createBench(target, `checks-${randomUUID()}`)
      await createTable(target.client, bench.table)
    })

    afterAll(async () => {
      await target.client.send(new DeleteTableCommand({ TableName: bench.table }))
      await target.close()
    })

    const check: Check = (title, body) => test.skipIf(skip.includes(title))(title, () => body(bench))
    itemChecks(check)
    queryChecks(check)
    transactionChecks(check)
    isolationChecks(check)
  })
}

/** Creates a table with the key (pk, sk) and an index on (g, pk), and waits for it. */
export async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' as const })
  const range = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' as const })
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'g'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [hash('pk'), range('sk')],
      GlobalSecondaryIndexes: [
        { IndexName: 'byGroup', KeySchema: [hash('g'), range('pk')], Projection: { ProjectionType: 'ALL' } },
      ],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.02, maxDelay: 1 }, { TableName })
}

/** The bench over `table` of an endpoint. */
export function createBench({ client, second }: Omit<DynamoTarget, 'close'>, table: string): Bench {
  return {
    client,
    second,
    table,
    async put(item) {
      await client.send(new PutItemCommand({ TableName: table, Item: item }))
    },
    async get(pk, sk) {
      const input = { TableName: table, Key: key(pk, sk), ConsistentRead: true }
      return (await client.send(new GetItemCommand(input))).Item
    },
  }
}
