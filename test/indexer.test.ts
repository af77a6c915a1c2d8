/**
 * Batches of queue messages: what is indexed, and which messages are delivered again.
 */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIndexStores } from '../functions/stores.ts'
import { createS3 } from '../functions/wiring.ts'
import { createIndexer } from '../lib/indexer.ts'
import type { Log } from '../lib/log.ts'
import { type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
let s3: S3Client
let handler: ReturnType<typeof createIndexer>
const logs: Parameters<Log>[] = []
beforeAll(async () => {
  proxied = await startProxiedService()
  const stores = createIndexStores(proxied.service.config, proxied.service.environment)
  s3 = createS3(proxied.service.environment)
  handler = createIndexer(stores, (...line) => void logs.push(line))
})
afterAll(() => proxied.close())

const Bucket = 'files-bucket'
const keyOf = (workspace: string, n: number) =>
  `files/${workspace}/ana/fl_${String(n).padStart(24, '0')}/f${n}.txt`
const event = (key: string, eventName = 'ObjectCreated:Put') =>
  JSON.stringify({ Records: [{ eventName, s3: { object: { key } } }] })
const batch = (bodies: string[]) => ({
  Records: bodies.map((body, i) => ({ messageId: `m${i}`, body, receiptHandle: 'r', attributes: {} })),
})
const upload = (Key: string, Body = 'x') => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
const listed = async (workspace: string) =>
  (await proxied.service.list(undefined, { workspace })).body.result.resources.map(
    ({ name }: { name: string }) => name,
  )

test('of a batch with one bad message nine are indexed, and only the bad one is reported (G06)', async () => {
  const keys = Array.from({ length: 10 }, (_, i) => keyOf('nine', i))
  await Promise.all(keys.map((key) => upload(key)))
  const bodies = keys.map((key) => event(key))
  bodies[3] = '{"Records":[{"eventName":'
  expect(await handler(batch(bodies))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm3' }] })
  expect((await listed('nine')).sort()).toEqual(
    ['f0.txt', 'f1.txt', 'f2.txt', 'f4.txt', 'f5.txt', 'f6.txt', 'f7.txt', 'f8.txt', 'f9.txt'].sort(),
  )
})

test('the test message and unknown events are done with', async () => {
  const bodies = ['{"Service":"Amazon S3","Event":"s3:TestEvent"}', event('a', 'ObjectTagging:Put')]
  expect(await handler(batch(bodies))).toEqual({ batchItemFailures: [] })
})

test('a key that many messages of a batch name is asked for once', async () => {
  const key = keyOf('once', 1)
  await upload(key)
  const calls = await proxied.callsOf(() => handler(batch(Array(10).fill(event(key)))))
  expect(calls.filter((call) => call.includes('GetItem'))).toHaveLength(1)
  expect(await listed('once')).toEqual(['f1.txt'])
})

test('a key that cannot be a file is no failure, since trying again would not help', async () => {
  await upload('elsewhere/a.txt')
  expect(await handler(batch([event('elsewhere/a.txt')]))).toEqual({ batchItemFailures: [] })
})

test('while storage fails every message that names an object is reported, and indexed when it comes again', async () => {
  const keys = [keyOf('outage', 1), keyOf('outage', 2)]
  await Promise.all(keys.map((key) => upload(key)))
  const bodies = [event(keys[0] ?? ''), event(keys[0] ?? ''), event(keys[1] ?? '')]
  proxied.s3.fault = (req, res) => {
    req.resume()
    res.writeHead(403).end()
  }
  expect(await handler(batch(bodies))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }, { itemIdentifier: 'm2' }],
  })
  proxied.heal()
  expect(await listed('outage')).toEqual([])
  expect(await handler(batch(bodies))).toEqual({ batchItemFailures: [] })
  expect((await listed('outage')).sort()).toEqual(['f1.txt', 'f2.txt'])
})

test('events in any order and number end with the state of the bucket', async () => {
  const key = keyOf('order', 1)
  await upload(key, 'old')
  await upload(key, 'newer')
  await s3.send(new DeleteObjectCommand({ Bucket, Key: key }))
  const bodies = [event(key, 'ObjectRemoved:DeleteMarkerCreated'), event(key), event(key)]
  for (const body of bodies) await handler(batch([body]))
  expect(await listed('order')).toEqual([])
  await upload(key, 'back')
  for (const body of bodies.toReversed()) await handler(batch([body]))
  expect(await listed('order')).toEqual(['f1.txt'])
})

test('the log tells what failed and why, and of which file but not its name', () => {
  const failures = logs.filter(([level]) => level === 'error')
  expect(failures.map(([, name]) => name)).toContain('unreadable-event')
  expect(failures.map(([, name]) => name)).toContain('indexing-failed')
  expect(logs).toContainEqual([
    'error',
    'indexing-failed',
    {
      workspace: 'outage',
      owner: 'ana',
      fileId: 'fl_000000000000000000000002',
      messageIds: ['m2'],
      error: expect.stringContaining('HeadObject failed'),
    },
  ])
  expect(JSON.stringify(logs)).not.toContain('.txt')
})
