/**
 * What the service is measured against, each on the same storage: the naive handler that people write first, a raw
 * pass-through of the same output bytes, which is the limit, and a bare route that makes the same three calls.
 */
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { DynamoDBClient, GetItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { AppEnv } from '../lib/app.ts'
import { streamOf } from '../lib/body.ts'
import { readableAttributes } from '../lib/items.ts'
import { fileKey } from '../lib/keys.ts'
import { createHttpServer } from '../lib/node.ts'

const s3 = new S3Client({ forcePathStyle: true })
const dynamo = new DynamoDBClient({})
const Bucket = process.env.FILES_BUCKET ?? ''

/** Starts the peer and resolves with its port. */
export function startPeer(role: string): Promise<number> {
  if (role === 'raw') return startRaw()
  if (role === 'naive') return listen(naive())
  if (role === 'bare') return listen(bare())
  if (role === 'pages') return listen(pages())
  throw new Error(`There is no peer "${role}"`)
}

/** The same output bytes, stored as an object, passed on as the service writes its own: chunks as latin1 strings. */
async function startRaw(): Promise<number> {
  const app = new Hono<AppEnv>()
  app.get('/:key{.+}', async (c) => {
    const body = await bodyOf(c.req.param('key'))
    async function* chunks() {
      for await (const chunk of body) yield (chunk as Buffer).toString('latin1')
    }
    return c.body(streamOf(chunks()), 200, { 'content-type': 'application/json' })
  })
  const server = createHttpServer(app, { idleMs: 15_000, responseMs: 180_000 }, () => {})
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

function naive(): Hono {
  const app = new Hono()
  app.get('/:kind/:key{.+}', async (c) => {
    const chunks: Buffer[] = []
    for await (const chunk of await bodyOf(c.req.param('key'))) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const content =
      c.req.param('kind') === 'blob' ? { blob: bytes.toString('base64') } : { text: bytes.toString('utf8') }
    return c.json({
      jsonrpc: '2.0',
      id: 1,
      result: { contents: [{ uri: 'files://x', mimeType: 'x/y', ...content }] },
    })
  })
  return app
}

/** The same three calls in the same order, and nothing that an answer needs besides. */
function bare(): Hono {
  const app = new Hono()
  let tat = Date.now() * 1_000
  app.get('/:workspace/:fileId', async (c) => {
    tat += 100
    const [{ Item }] = await Promise.all([
      dynamo.send(
        new GetItemCommand({
          TableName: process.env.FILES_TABLE,
          Key: keyOf(c.req.param('workspace'), c.req.param('fileId')),
          ConsistentRead: true,
          ProjectionExpression: readableAttributes.map((name) => `#${name}`).join(','),
          ExpressionAttributeNames: Object.fromEntries(readableAttributes.map((name) => [`#${name}`, name])),
        }),
      ),
      dynamo.send(
        new UpdateItemCommand({
          TableName: process.env.BUCKETS_TABLE,
          Key: { pk: { S: 'bare' } },
          UpdateExpression: 'SET #tat = :tat, #ttl = :ttl',
          ConditionExpression: 'attribute_not_exists(#tat) OR #tat <= :now',
          ExpressionAttributeNames: { '#tat': 'tat', '#ttl': 'expiresAtSec' },
          ExpressionAttributeValues: {
            ':tat': { N: String(tat) },
            ':now': { N: String(tat) },
            ':ttl': { N: String(Math.ceil(tat / 1_000_000)) },
          },
          ReturnValues: 'UPDATED_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await bodyOf(Item?.objectKey?.S ?? '')) chunks.push(chunk as Buffer)
    return c.json({ blob: Buffer.concat(chunks).toString('base64') })
  })
  return app
}

function keyOf(workspace: string, fileId: string) {
  const { pk, sk } = fileKey(workspace, fileId)
  return { pk: { S: pk }, sk: { S: sk } }
}

/** All pages of one listing partition, as many as asked for, joined and nothing else done to them. */
function pages(): Hono {
  const app = new Hono()
  app.get('/:pk', async (c) => {
    const most = Number(c.req.query('pages') ?? 1_000)
    const parts: string[] = []
    let after: Record<string, { S: string }> | undefined
    for (let page = 0; page < most; page += 1) {
      const answer = await dynamo.send(
        new QueryCommand({
          TableName: process.env.FILES_TABLE,
          KeyConditionExpression: '#pk = :pk',
          ProjectionExpression: '#sk, #json',
          ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk', '#json': 'json' },
          ExpressionAttributeValues: { ':pk': { S: c.req.param('pk') } },
          ConsistentRead: true,
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      )
      for (const item of answer.Items ?? []) parts.push(item.json?.S ?? '')
      after = answer.LastEvaluatedKey as typeof after
      if (!after) break
    }
    return c.body(`[${parts.join()}]`)
  })
  return app
}

async function bodyOf(key: string): Promise<Readable> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: key }))
  return Body as Readable
}

function listen(app: Hono): Promise<number> {
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
  })
}
