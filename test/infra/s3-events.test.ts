/**
 * The emulator's events have S3's wire shape, and no change goes untold.
 */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterEach, expect, it } from 'vitest'
import type { S3Event } from '../../infra/local/s3/events.ts'
import { startTarget } from './s3-start.ts'

let events: S3Event[] = []
let close = async () => {}
afterEach(() => close())

async function open(versioned: boolean) {
  events = []
  const target = await startTarget({
    versioned,
    region: 'eu-central-1',
    onEvent: (event) => void events.push(event),
  })
  close = target.close
  return target
}

const told = () =>
  events.flatMap(({ Records }) => Records.map(({ eventName, s3 }) => [eventName, s3.object.key]))

it('a stored object is told in the wire shape of version 2.1', async () => {
  const { client, bucket } = await open(true)
  const put = await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: "a b/ü+(1)'*.txt", Body: 'hello' }),
  )
  expect(events).toEqual([
    {
      Records: [
        {
          eventVersion: '2.1',
          eventSource: 'aws:s3',
          awsRegion: 'eu-central-1',
          eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          eventName: 'ObjectCreated:Put',
          userIdentity: { principalId: 'local' },
          requestParameters: { sourceIPAddress: '127.0.0.1' },
          responseElements: { 'x-amz-request-id': expect.stringMatching(/^[0-9A-F]{16}$/) },
          s3: {
            s3SchemaVersion: '1.0',
            configurationId: 'local',
            bucket: { name: 'bucket', ownerIdentity: { principalId: 'local' }, arn: 'arn:aws:s3:::bucket' },
            object: {
              key: 'a+b/%C3%BC%2B%281%29%27*.txt',
              size: 5,
              eTag: '5d41402abc4b2a76b9719d911017c592',
              versionId: put.VersionId,
              sequencer: expect.stringMatching(/^[0-9A-F]{18}$/),
            },
          },
        },
      ],
    },
  ])
})

it('every kind of change is told by its name', async () => {
  const { client, bucket: Bucket } = await open(true)
  const put = await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: '1' }))
  await client.send(new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${Bucket}/a` }))
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'c' }))
  const part = await client.send(
    new UploadPartCommand({ Bucket, Key: 'c', UploadId, PartNumber: 1, Body: 'x' }),
  )
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }]
  await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key: 'c', UploadId, MultipartUpload: { Parts } }),
  )
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId: put.VersionId }))
  const Objects = [{ Key: 'b' }, { Key: 'c' }]
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  expect(told()).toEqual([
    ['ObjectCreated:Put', 'a'],
    ['ObjectCreated:Copy', 'b'],
    ['ObjectCreated:CompleteMultipartUpload', 'c'],
    ['ObjectRemoved:DeleteMarkerCreated', 'a'],
    ['ObjectRemoved:Delete', 'a'],
    ['ObjectRemoved:DeleteMarkerCreated', 'b'],
    ['ObjectRemoved:DeleteMarkerCreated', 'c'],
  ])
  const sequencers = events.map(({ Records }) => Records[0]?.s3.object.sequencer)
  expect(sequencers.toSorted()).toEqual(sequencers)
  expect(new Set(sequencers).size).toBe(7)
})

it('without versioning an event has no version id, and an absent key is deleted in silence', async () => {
  const { client, bucket: Bucket } = await open(false)
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: '1' }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
  expect(told()).toEqual([
    ['ObjectCreated:Put', 'a'],
    ['ObjectRemoved:Delete', 'a'],
  ])
  expect(events.map(({ Records }) => Records[0]?.s3.object.versionId)).toEqual([undefined, undefined])
})

it('a refused write is not told', async () => {
  const { client, bucket: Bucket } = await open(false)
  const bad = new PutObjectCommand({ Bucket, Key: 'a', Body: '1', ChecksumCRC32: 'AAAAAA==' })
  await expect(client.send(bad)).rejects.toThrow('did not match')
  expect(told()).toEqual([])
})
