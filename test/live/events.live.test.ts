/**
 * S3's events through the real queue: what infra/localstack/ready.d makes, on the endpoint that AWS_ENDPOINT_URL names.
 */
import { randomUUID } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { beforeAll, expect, test } from 'vitest'
import { filesBucket } from '../../infra/definitions.ts'
import { clientOf } from '../infra/s3-start.ts'
import { endpoint } from './target.ts'

const Bucket = `events-${randomUUID()}`
const s3 = clientOf(endpoint)
const sqs = new SQSClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})

let queue: string
beforeAll(async () => {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: Bucket }))
  queue = QueueUrl ?? ''
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  )
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }))
  const Filter = { Key: { FilterRules: [{ Name: 'prefix' as const, Value: filesBucket.prefix }] } }
  const QueueConfigurations = [
    { Id: 'Index', QueueArn: Attributes?.QueueArn, Events: [...filesBucket.events], Filter },
  ]
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket,
      NotificationConfiguration: { QueueConfigurations },
    }),
  )
})

/** The records of all messages that arrive within a few seconds; S3's test event has none. */
async function arrived(wanted: number) {
  const records: { eventName: string; key: string }[] = []
  for (let i = 0; i < 10 && records.length < wanted; i += 1) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue, WaitTimeSeconds: 1, MaxNumberOfMessages: 10 }),
    )
    for (const { Body = '{}', ReceiptHandle } of Messages) {
      const { Records = [] } = JSON.parse(Body)
      for (const { eventName, s3: at } of Records) records.push({ eventName, key: at.object.key })
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }))
    }
  }
  return records
}

test('an object that is put is told to the queue, if it is a file', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'other/x', Body: 'x' }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'files/acme/ana/fl_1', Body: 'x' }))
  const records = await arrived(1)
  expect(records.map(({ eventName }) => eventName.replace(/^s3:/, ''))).toEqual(['ObjectCreated:Put'])
  expect(decodeURIComponent(records[0]?.key ?? '')).toBe('files/acme/ana/fl_1')
})

test('versions are kept and listed, and a deletion hides the last', async () => {
  const Key = 'files/acme/ana/fl_2'
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'one' }))
  const { VersionId } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'two' }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key }))
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket, Prefix: Key }),
  )
  expect([Versions.length, DeleteMarkers.length]).toEqual([2, 1])
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))
  expect(await Body?.transformToString()).toBe('two')
  await arrived(3)
})

// moto sends nothing for a deletion that leaves a marker
test.skipIf(process.env.LIVE_TARGET === 'moto')('a deletion is told to the queue', async () => {
  const Key = 'files/acme/ana/fl_3'
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  await arrived(1)
  await s3.send(new DeleteObjectCommand({ Bucket, Key }))
  const [record] = await arrived(1)
  expect(record?.eventName.replace(/^s3:/, '')).toBe('ObjectRemoved:DeleteMarkerCreated')
})
