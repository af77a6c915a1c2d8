/**
 * The chain of the local cloud: a change of the bucket by any S3 client is in listings soon after, without us being asked.
 */
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test, vi } from 'vitest'
import { createIndexStores } from '../../functions/stores.ts'
import { createS3 } from '../../functions/wiring.ts'
import { createQueue } from '../../infra/local/queue.ts'
import { createIndexer } from '../../lib/indexer.ts'
import { startService } from '../harness.ts'

test('uploads, overwrites and deletions by a plain S3 client arrive by themselves', async () => {
  const queue = createQueue()
  const service = await startService({}, { onEvent: (event) => queue.send(JSON.stringify(event)) })
  queue.deliverTo(createIndexer(createIndexStores(service.config, service.environment), () => {}))
  const s3 = createS3(service.environment)
  const Key = 'files/acme/ana/fl_0123456789abcdef01234567/q1%20%2B%20%C3%BC.csv'
  const place = { Bucket: 'files-bucket', Key }
  const listed = async () => {
    await new Promise(setImmediate)
    await queue.settled()
    return (await service.list()).body.result.resources.map((r: { name: string; size: number }) => [
      r.name,
      r.size,
    ])
  }

  await s3.send(new PutObjectCommand({ ...place, Body: 'a,b' }))
  expect(await listed()).toEqual([['q1 + ü.csv', 3]])
  await s3.send(new PutObjectCommand({ ...place, Body: 'a,b,c' }))
  expect(await listed()).toEqual([['q1 + ü.csv', 5]])
  expect((await service.read('files://fl_0123456789abcdef01234567')).body.result.contents[0].text).toBe(
    'a,b,c',
  )
  await s3.send(new DeleteObjectCommand(place))
  expect(await listed()).toEqual([])
  await service.close()
})

test('a message that fails is delivered again alone, and given up after five times', async () => {
  const given = vi.fn()
  const queue = createQueue({ retryAfterMs: 1, onDeadLetter: given })
  const deliveries: string[][] = []
  queue.send('good')
  queue.send('bad')
  queue.deliverTo(async ({ Records }) => {
    deliveries.push(Records.map(({ body }) => body))
    const bad = Records.filter(({ body }) => body === 'bad')
    return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  })
  await queue.settled()
  expect(deliveries).toEqual([['good', 'bad'], ['bad'], ['bad'], ['bad'], ['bad']])
  expect(given.mock.calls).toEqual([['bad']])
})

test('a handler that throws loses nothing', async () => {
  const queue = createQueue({ retryAfterMs: 1 })
  const seen: string[] = []
  let fails = true
  queue.deliverTo(async ({ Records }) => {
    if (fails) {
      fails = false
      throw new Error('out of memory')
    }
    seen.push(...Records.map(({ body }) => body))
    return { batchItemFailures: [] }
  })
  for (const body of ['a', 'b', 'c']) queue.send(body)
  await queue.settled()
  expect(seen.toSorted()).toEqual(['a', 'b', 'c'])
})
