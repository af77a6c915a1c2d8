// The local DynamoDB held to the checks, in memory and on disk, and what only it has: it comes back after a
// restart and after a kill, and does not share its directory.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DynamoEmulator, startDynamo } from '../../infra/local/dynamodb/server.ts'
import { createBench, createTable, type DynamoTarget, dynamoChecks, key } from './dynamodb-checks.ts'

function connect(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
}

function target(emulator: DynamoEmulator, cleanUp = async () => {}): DynamoTarget {
  const [client, second] = [connect(emulator.endpoint), connect(emulator.endpoint)]
  return {
    client,
    second,
    async close() {
      client.destroy()
      second.destroy()
      await emulator.close()
      await cleanUp()
    },
  }
}

const makeDir = () => mkdtemp(join(tmpdir(), 'dynamodb-'))

dynamoChecks('in memory', async () => target(await startDynamo()))

dynamoChecks('on disk', async () => {
  const dir = await makeDir()
  return target(await startDynamo({ dir }), () => rm(dir, { recursive: true }))
})

describe('the directory', () => {
  let dir: string
  beforeEach(async () => {
    dir = await makeDir()
  })
  afterEach(() => rm(dir, { recursive: true }))

  test('a restart finds the tables, the items and the time to live', async () => {
    const first = target(await startDynamo({ dir }))
    await createTable(first.client, 'kept')
    await createBench(first, 'kept').put({ ...key('a'), v: { N: '1' } })
    const TimeToLiveSpecification = { AttributeName: 'expires', Enabled: true }
    await first.client.send(new UpdateTimeToLiveCommand({ TableName: 'kept', TimeToLiveSpecification }))
    await first.close()

    const again = target(await startDynamo({ dir }))
    expect(await createBench(again, 'kept').get('a')).toEqual({
      pk: { S: 'a' },
      sk: { S: '0' },
      v: { N: '1' },
    })
    const described = await again.client.send(new DescribeTimeToLiveCommand({ TableName: 'kept' }))
    expect(described.TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' })
    await again.close()
  })

  test('a second start in the same directory is refused, in this process and in another', async () => {
    const emulator = await startDynamo({ dir })
    await expect(startDynamo({ dir })).rejects.toThrow(`Another local DynamoDB has ${dir} open`)
    await emulator.close()

    const { child } = await startChild(dir)
    await expect(startDynamo({ dir })).rejects.toThrow(`Another local DynamoDB has ${dir} open`)
    await kill(child)
    await (await startDynamo({ dir })).close()
  })

  test('a damaged directory is refused by its name, with what is wrong', async () => {
    await (await startDynamo({ dir })).close()
    await writeFile(join(dir, 'CURRENT'), 'nonsense')
    await expect(startDynamo({ dir })).rejects.toThrow(
      `The local DynamoDB in ${dir} cannot be opened: Corruption: CURRENT file does not end with newline`,
    )
  })

  test('a process killed in the middle of a transaction leaves all of it or nothing, and what it has acknowledged', async () => {
    const generations: number[] = []
    for (let round = 0; round < 6; round++) {
      const { child, endpoint } = await startChild(dir)
      const client = connect(endpoint)
      if (round === 0) await createTable(client, 'killed')
      const begun = Promise.withResolvers<void>()
      const writing = rewrite(client, generations.at(-1) ?? 0, begun.resolve)
      await begun.promise
      await sleep(30 + round * 17)
      await kill(child)
      const acknowledged = await writing
      client.destroy()

      const again = target(await startDynamo({ dir }))
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'all' } } }
      const { Items = [] } = await again.client.send(new QueryCommand({ TableName: 'killed', ...query }))
      const seen = new Set(Items.map(({ generation }) => generation?.N))
      expect([Items.length, seen.size]).toEqual([100, 1])
      generations.push(Number([...seen][0]))
      expect(generations.at(-1)).toBeGreaterThanOrEqual(acknowledged)
      await again.close()
    }
    expect(generations).toEqual([...generations].sort((a, b) => a - b))
    expect(new Set(generations).size).toBeGreaterThan(1) // how many, the machine's speed decides
  })

  test.skipIf(process.platform !== 'linux')('what is written after a disk was full is kept', async () => {
    const { child, endpoint } = await startChild(dir)
    const client = connect(endpoint)
    await createTable(client, 'full')
    const write = (n: number) =>
      client.send(
        new PutItemCommand({
          TableName: 'full',
          Item: { ...key('n', String(n)), s: { S: 'x'.repeat(3_000) } },
        }),
      )
    await write(0)
    limitFiles(child, '20000')
    const refused = await Promise.allSettled(Array.from({ length: 9 }, (_, i) => write(10 + i)))
    expect(refused.some(({ status }) => status === 'rejected')).toBe(true)
    limitFiles(child, 'unlimited')
    for (const n of [1, 2, 3, 4, 5]) await write(n)
    await kill(child)
    client.destroy()

    const again = target(await startDynamo({ dir }))
    const found = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) => createBench(again, 'full').get('n', String(n))),
    )
    expect(found.map((item) => item?.sk?.S)).toEqual(['0', '1', '2', '3', '4', '5'])
    await again.close()
  })
})

// The most bytes that the process may write into a file, which is to it as a disk that has no more.
function limitFiles({ pid }: ChildProcess, bytes: string): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])
}

test('the clock decides what has expired', async () => {
  let nowMs = Date.UTC(2030, 0, 1)
  const { client, second, close } = target(await startDynamo({ now: () => nowMs }))
  await createTable(client, 'clock')
  const bench = createBench({ client, second }, 'clock')
  const TimeToLiveSpecification = { AttributeName: 'expires', Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName: 'clock', TimeToLiveSpecification }))
  await bench.put({ ...key('a'), g: { S: 'group' }, expires: { N: String(Date.UTC(2030, 0, 2) / 1_000) } })
  await sleep(2_500)
  expect(await bench.get('a')).toBeDefined()
  nowMs = Date.UTC(2030, 0, 3)
  await expect.poll(() => bench.get('a'), { timeout: 30_000 }).toBeUndefined()
  await close()
})

test('an operation that is not there is an UnknownOperationException', async () => {
  const emulator = await startDynamo()
  const headers = {
    'x-amz-target': 'DynamoDB_20120810.ExecuteStatement',
    authorization: 'AWS4-HMAC-SHA256 x',
  }
  const response = await fetch(emulator.endpoint, { method: 'POST', headers, body: '{}' })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ __type: 'com.amazon.coral.service#UnknownOperationException' })
  await emulator.close()
})

test('with an access key it knows nobody else, whatever name it is called by', async () => {
  const emulator = await startDynamo({ accessKeyId: 'known' })
  const list = async (authorization: string) => {
    const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables', authorization }
    const response = await fetch(emulator.endpoint, { method: 'POST', headers, body: '{}' })
    return { status: response.status, body: await response.json() }
  }
  const signed = (key: string) =>
    `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0`
  expect(await list(signed('known'))).toEqual({ status: 200, body: { TableNames: [] } })
  for (const other of [signed('local'), signed('known2'), signed(''), 'x', 'known', 'Credential=known']) {
    expect(await list(other)).toEqual({
      status: 400,
      body: {
        __type: 'com.amazon.coral.service#UnrecognizedClientException',
        message: 'The security token included in the request is invalid.',
      },
    })
  }
  await emulator.close()
})

test('a fault inside dynalite is its caller’s alone, and leaves the item free', async () => {
  const dir = await makeDir()
  const { client, second, close } = target(await startDynamo({ dir }), () => rm(dir, { recursive: true }))
  await createTable(client, 'fault')
  const { put, get } = createBench({ client, second }, 'fault')
  const sound = { ...key('a'), n: { N: '1' } }
  await put(sound)
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})

  // dynalite looks into the second bound without asking whether the item has it.
  const between = 'n BETWEEN :low AND gone'
  const ExpressionAttributeValues = { ':low': { N: '0' } }
  const faulty = { TableName: 'fault', Item: sound, ConditionExpression: between, ExpressionAttributeValues }
  // Sound writes among the faulty ones, so that some of these have to wait for the item.
  const writes = Array.from({ length: 40 }, (_, i) =>
    i % 2 === 0 ? put(sound) : client.send(new PutItemCommand(faulty)),
  )
  const failed = (await Promise.allSettled(writes)).filter((outcome) => outcome.status === 'rejected')
  expect(failed.map(({ reason }) => reason.name)).toEqual(
    Array.from({ length: 20 }, () => 'InternalServerError'),
  )
  const scan = { TableName: 'fault', FilterExpression: between, ExpressionAttributeValues }
  await expect(client.send(new ScanCommand(scan))).rejects.toMatchObject({ name: 'InternalServerError' })
  expect(logged).toHaveBeenCalledTimes(21)
  logged.mockRestore()

  await put({ ...key('a'), n: { N: '2' } })
  expect((await get('a'))?.n).toEqual({ N: '2' })
  await close()
})

// Rewrites a hundred items in one transaction after another, until the server is gone; resolves to the last that it
// acknowledged. `begun` is called when there is one.
async function rewrite(client: DynamoDBClient, from: number, begun: () => void): Promise<number> {
  for (let generation = from + 1; ; generation++) {
    const TransactItems = Array.from({ length: 100 }, (_, i) => ({
      Put: { TableName: 'killed', Item: { ...key('all', String(i)), generation: { N: String(generation) } } },
    }))
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems }))
      begun()
    } catch {
      return generation - 1
    }
  }
}

async function startChild(dir: string): Promise<{ child: ChildProcess; endpoint: string }> {
  const server = new URL('../../infra/local/dynamodb/server.ts', import.meta.url).href
  const program = `
    import { startDynamo } from ${JSON.stringify(server)}
    console.log((await startDynamo({ dir: ${JSON.stringify(dir)} })).endpoint)`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { child, endpoint: String(line).trim() }
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
