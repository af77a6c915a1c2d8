/** Checks: conditional reads and conditional writes. */
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, type S3Target, textOf } from './s3-target.ts'

const etag = '"5d41402abc4b2a76b9719d911017c592"'
const yesterday = () => new Date(Date.now() - 86_400_000)
const tomorrow = () => new Date(Date.now() + 86_400_000)

/** Declares the checks of conditional requests. */
export function conditionChecks(check: Check): void {
  const refused: [string, Partial<GetObjectCommandInput>, number][] = [
    ['If-None-Match with the same tag', { IfNoneMatch: etag }, 304],
    ['If-None-Match with *', { IfNoneMatch: '*' }, 304],
    ['If-Match with another tag', { IfMatch: '"other"' }, 412],
    ['If-Modified-Since tomorrow', { IfModifiedSince: tomorrow() }, 304],
    ['If-Unmodified-Since yesterday', { IfUnmodifiedSince: yesterday() }, 412],
  ]
  for (const [name, condition, status] of refused) {
    check(`a read with ${name} is ${status}`, async (target) => {
      await expectRefusal(read(target, condition), status)
    })
    check(`a head with ${name} is ${status}`, async ({ client, bucket }) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'conditional', Body: 'hello' }))
      await expectRefusal(
        client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'conditional', ...condition })),
        status,
      )
    })
  }

  const served: [string, Partial<GetObjectCommandInput>][] = [
    ['If-None-Match with another tag', { IfNoneMatch: '"other"' }],
    ['If-Match with the same tag', { IfMatch: etag }],
    ['If-Modified-Since yesterday', { IfModifiedSince: yesterday() }],
    ['If-Unmodified-Since tomorrow', { IfUnmodifiedSince: tomorrow() }],
    ['If-Match that holds beside a date that does not', { IfMatch: etag, IfUnmodifiedSince: yesterday() }],
    [
      'If-None-Match that holds beside a date that does not',
      { IfNoneMatch: '"other"', IfModifiedSince: tomorrow() },
    ],
  ]
  for (const [name, condition] of served) {
    check(`a read with ${name} is served`, async (target) => {
      expect(await textOf(await read(target, condition))).toBe('hello')
    })
  }

  check('If-None-Match: * stores only where nothing is', async ({ client, bucket }) => {
    const put = (Body: string) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: 'once', Body, IfNoneMatch: '*' }))
    await put('first')
    await expectRefusal(put('second'), 412, 'PreconditionFailed')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'once' })))).toBe(
      'first',
    )
  })

  check('of many writers with If-None-Match: * exactly one succeeds', async ({ client, bucket }) => {
    const put = () =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: 'race', Body: 'x', IfNoneMatch: '*' }))
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, put))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  check('If-Match on a write stores only over that tag', async ({ client, bucket }) => {
    const put = (IfMatch: string, Key = 'swapped') =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'new', IfMatch }))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'swapped', Body: 'hello' }))
    await expectRefusal(put('"other"'), 412, 'PreconditionFailed')
    await expectRefusal(put(etag, 'swapped-nothing'), 404, 'NoSuchKey')
    await put(etag)
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'swapped' })))).toBe(
      'new',
    )
  })
}

async function read({ client, bucket }: S3Target, condition: Partial<GetObjectCommandInput>) {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'conditional', Body: 'hello' }))
  return client.send(new GetObjectCommand({ Bucket: bucket, Key: 'conditional', ...condition }))
}
