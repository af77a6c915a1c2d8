/** Checks: copies, their description and their conditions. */
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, type S3Target, textOf } from './s3-target.ts'

const key = 'src sp/ü+.txt'

/** Declares the checks of copies. */
export function copyChecks(check: Check): void {
  check('a copy has the bytes and the description of its source', async (target) => {
    const { client, bucket } = target
    const output = await copy(target, 'copied', {})
    expect(output.CopyObjectResult?.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'copied' }))
    expect(await textOf(got)).toBe('hello')
    expect(got).toMatchObject({ ContentType: 'text/x-src', Metadata: { m: '1' } })
  })

  check('the source may be encoded as a whole or part by part', async (target) => {
    const parts = `${target.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
    await copy(target, 'copied-parts', { CopySource: parts })
    await copy(target, 'copied-slash', { CopySource: `/${parts}` })
  })

  check('REPLACE gives a copy its own description, also onto itself', async (target) => {
    const { client, bucket } = target
    await copy(target, 'replaced', {})
    await client.send(
      new CopyObjectCommand({
        Bucket: bucket,
        Key: 'replaced',
        CopySource: `${bucket}/replaced`,
        MetadataDirective: 'REPLACE',
        ContentType: 'text/new',
        Metadata: { n: '2' },
      }),
    )
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'replaced' }))
    expect(head).toMatchObject({ ContentLength: 5, ContentType: 'text/new', Metadata: { n: '2' } })
  })

  check('a copy onto itself that changes nothing is InvalidRequest', async (target) => {
    await expectRefusal(copy(target, key, {}), 400, 'InvalidRequest')
  })

  check('the conditions on a source are held', async (target) => {
    const etag = '"5d41402abc4b2a76b9719d911017c592"'
    await expectRefusal(copy(target, 'c', { CopySourceIfMatch: '"no"' }), 412, 'PreconditionFailed')
    await expectRefusal(copy(target, 'c', { CopySourceIfNoneMatch: etag }), 412, 'PreconditionFailed')
    await copy(target, 'c', { CopySourceIfMatch: etag })
  })

  check('a source that is not there is NoSuchKey', async ({ client, bucket }) => {
    const absent = new CopyObjectCommand({ Bucket: bucket, Key: 'c', CopySource: `${bucket}/absent` })
    await expectRefusal(client.send(absent), 404, 'NoSuchKey')
  })

  check('an archived source cannot be copied', async ({ client, bucket }) => {
    const Key = 'cold-source'
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x', StorageClass: 'GLACIER' }))
    const thaw = new CopyObjectCommand({ Bucket: bucket, Key: 'thawed', CopySource: `${bucket}/${Key}` })
    await expectRefusal(client.send(thaw), 403)
  })
}

async function copy({ client, bucket }: S3Target, Key: string, extra: Partial<CopyObjectCommandInput>) {
  await client.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: 'hello',
      ContentType: 'text/x-src',
      Metadata: { m: '1' },
    }),
  )
  const CopySource = encodeURIComponent(`${bucket}/${key}`)
  return client.send(new CopyObjectCommand({ Bucket: bucket, Key, CopySource, ...extra }))
}
