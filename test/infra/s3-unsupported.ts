/** Checks: what an endpoint does not implement is refused aloud and changes nothing; and buckets' documents. */
import {
  GetBucketCorsCommand,
  GetBucketNotificationConfigurationCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, textOf } from './s3-target.ts'

/** Declares the checks of subresources. */
export function unsupportedChecks(check: Check): void {
  check('tagging is NotImplemented and leaves the object alone', async ({ client, bucket }) => {
    const Key = 'untagged'
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'hello' }))
    const Tagging = { TagSet: [{ Key: 'k', Value: 'v' }] }
    await expectRefusal(
      client.send(new PutObjectTaggingCommand({ Bucket: bucket, Key, Tagging })),
      501,
      'NotImplemented',
    )
    const tagged = new PutObjectCommand({ Bucket: bucket, Key, Body: 'other', Tagging: 'k=v' })
    await expectRefusal(client.send(tagged), 501, 'NotImplemented')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key })))).toBe('hello')
  })

  check('object attributes are NotImplemented', async ({ client, bucket }) => {
    const input = { Bucket: bucket, Key: 'k', ObjectAttributes: ['ETag' as const] }
    await expectRefusal(client.send(new GetObjectAttributesCommand(input)), 501, 'NotImplemented')
  })

  check('a checksum algorithm that nobody can verify is NotImplemented', async ({ client, bucket }) => {
    const put = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x', ChecksumXXHASH3: 'AAAAAAAAAAA=' })
    await expectRefusal(client.send(put), 501, 'NotImplemented')
  })

  check('the CORS rules of a bucket are kept', async ({ client, bucket }) => {
    const get = new GetBucketCorsCommand({ Bucket: bucket })
    await expectRefusal(client.send(get), 404, 'NoSuchCORSConfiguration')
    const rule = { AllowedOrigins: ['https://a.example'], AllowedMethods: ['PUT'], MaxAgeSeconds: 60 }
    await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } }))
    expect((await client.send(get)).CORSRules).toEqual([rule])
  })

  check('the notification configuration of a bucket is kept', async ({ client, bucket }) => {
    const get = new GetBucketNotificationConfigurationCommand({ Bucket: bucket })
    expect((await client.send(get)).QueueConfigurations).toBeUndefined()
    const queue = {
      Id: 'q',
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:q',
      Events: ['s3:ObjectCreated:*' as const],
    }
    await client.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket: bucket,
        NotificationConfiguration: { QueueConfigurations: [queue] },
      }),
    )
    expect((await client.send(get)).QueueConfigurations).toEqual([queue])
  })
}
