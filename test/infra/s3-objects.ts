/** Checks: storing an object and reading it, its headers, ranges and overrides. */
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, textOf } from './s3-target.ts'

/** Declares the checks of single objects. */
export function objectChecks(check: Check): void {
  check('the bucket answers and is listed', async ({ client, bucket }) => {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
    const { Buckets } = await client.send(new ListBucketsCommand({}))
    expect(Buckets?.map(({ Name }) => Name)).toContain(bucket)
  })

  check('creating a bucket again succeeds in us-east-1', async ({ client, bucket }) => {
    const output = await client.send(new CreateBucketCommand({ Bucket: bucket }))
    expect(output.$metadata.httpStatusCode).toBe(200)
  })

  check('a bucket that does not exist is NoSuchBucket', async ({ client }) => {
    await expectRefusal(
      client.send(new GetObjectCommand({ Bucket: 'no-such-bucket-here', Key: 'k' })),
      404,
      'NoSuchBucket',
    )
    await expectRefusal(
      client.send(new HeadBucketCommand({ Bucket: 'no-such-bucket-here' })),
      404,
      'NotFound',
    )
  })

  check('an object comes back with everything that was said of it', async ({ client, bucket }) => {
    const put = await client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'described',
        Body: 'hello',
        ContentType: 'text/plain; charset=utf-8',
        CacheControl: 'max-age=5',
        ContentDisposition: 'attachment; filename="x.txt"',
        ContentEncoding: 'identity',
        ContentLanguage: 'de',
        Metadata: { foo: 'bar', 'Multi-Word': 'x y' },
      }),
    )
    expect(put.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
    expect(put.VersionId).toBeUndefined()
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'described' }))
    expect(await textOf(got)).toBe('hello')
    expect(got).toMatchObject({
      ContentLength: 5,
      ContentType: 'text/plain; charset=utf-8',
      CacheControl: 'max-age=5',
      ContentDisposition: 'attachment; filename="x.txt"',
      ContentEncoding: 'identity',
      ContentLanguage: 'de',
      Metadata: { foo: 'bar', 'multi-word': 'x y' },
      ETag: '"5d41402abc4b2a76b9719d911017c592"',
      AcceptRanges: 'bytes',
    })
    expect(Math.abs(Date.now() - (got.LastModified?.getTime() ?? 0))).toBeLessThan(60_000)
  })

  check('a head tells what a get tells, without the body', async ({ client, bucket }) => {
    await client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'headed',
        Body: 'hello',
        ContentType: 'text/x',
        Metadata: { a: 'b' },
      }),
    )
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'headed' }))
    expect(head).toMatchObject({ ContentLength: 5, ContentType: 'text/x', Metadata: { a: 'b' } })
  })

  check(
    'an undeclared type is binary/octet-stream or application/octet-stream',
    async ({ client, bucket }) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'untyped', Body: 'x' }))
      const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'untyped' }))
      expect(['binary/octet-stream', 'application/octet-stream']).toContain(head.ContentType)
    },
  )

  check('metadata keeps percent-encoded and RFC 2047 text as it is', async ({ client, bucket }) => {
    const Metadata = { name: '=?UTF-8?B?5pel5pys?=', p: '%E6%97%A5%E6%9C%AC' }
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'meta', Body: 'x', Metadata }))
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'meta' }))
    expect(head.Metadata).toEqual({ name: '=?UTF-8?B?5pel5pys?=', p: '%E6%97%A5%E6%9C%AC' })
  })

  check('an empty object is an object', async ({ client, bucket }) => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'empty', Body: Buffer.alloc(0) }))
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'empty' }))
    expect(got.ContentLength).toBe(0)
    expect(await textOf(got)).toBe('')
  })

  check('a key that was never stored is NoSuchKey, and NotFound to a head', async ({ client, bucket }) => {
    await expectRefusal(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'never' })), 404, 'NoSuchKey')
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'never' })), 404, 'NotFound')
  })

  check('deleting what is not there succeeds', async ({ client, bucket }) => {
    const output = await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'never' }))
    expect(output.$metadata.httpStatusCode).toBe(204)
  })

  const ranges = [
    ['bytes=0-1', 'he', 'bytes 0-1/5'],
    ['bytes=3-', 'lo', 'bytes 3-4/5'],
    ['bytes=-2', 'lo', 'bytes 3-4/5'],
    ['bytes=0-0', 'h', 'bytes 0-0/5'],
    ['bytes=2-100', 'llo', 'bytes 2-4/5'],
    ['bytes=-100', 'hello', 'bytes 0-4/5'],
  ] as const
  for (const [range, body, contentRange] of ranges) {
    check(`the range ${range} is served as 206`, async ({ client, bucket }) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ranged', Body: 'hello' }))
      const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'ranged', Range: range }))
      expect(got.$metadata.httpStatusCode).toBe(206)
      expect([await textOf(got), got.ContentRange]).toEqual([body, contentRange])
    })
  }

  check('a range beyond the end is 416', async ({ client, bucket }) => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ranged', Body: 'hello' }))
    const get = (Range: string) => client.send(new GetObjectCommand({ Bucket: bucket, Key: 'ranged', Range }))
    await expectRefusal(get('bytes=5-6'), 416, 'InvalidRange')
    await expectRefusal(get('bytes=-0'), 416, 'InvalidRange')
  })

  check('a head of a range tells the length of the range', async ({ client, bucket }) => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ranged', Body: 'hello' }))
    const head = await client.send(
      new HeadObjectCommand({ Bucket: bucket, Key: 'ranged', Range: 'bytes=1-2' }),
    )
    expect([head.ContentLength, head.$metadata.httpStatusCode]).toEqual([2, 206])
  })

  check('response-* parameters replace headers of the answer', async ({ client, bucket }) => {
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'overridden', Body: 'x', ContentType: 'text/plain' }),
    )
    const got = await client.send(
      new GetObjectCommand({
        Bucket: bucket,
        Key: 'overridden',
        ResponseContentType: 'text/csv',
        ResponseContentDisposition: 'inline',
        ResponseCacheControl: 'no-store',
      }),
    )
    expect(got).toMatchObject({
      ContentType: 'text/csv',
      ContentDisposition: 'inline',
      CacheControl: 'no-store',
    })
  })

  check(
    'an archived object is InvalidObjectState to a get, and shows its class to a head',
    async ({ client, bucket }) => {
      for (const StorageClass of ['GLACIER', 'DEEP_ARCHIVE'] as const) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'cold', Body: 'x', StorageClass }))
        await expectRefusal(
          client.send(new GetObjectCommand({ Bucket: bucket, Key: 'cold' })),
          403,
          'InvalidObjectState',
        )
        const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'cold' }))
        expect(head.StorageClass).toBe(StorageClass)
      }
    },
  )

  check('a class that can be read at once is read', async ({ client, bucket }) => {
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'cool', Body: 'x', StorageClass: 'GLACIER_IR' }),
    )
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'cool' })))).toBe('x')
  })
}
