/** Checks: every key that S3 allows is its own object, and is listed and deleted as such. */
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, type S3Target, textOf } from './s3-target.ts'

const keys = [
  'sp ace/a b.txt',
  'plus+plus.txt',
  'ünï/日本 語.txt',
  "q?&=#%25'()!*.txt",
  '<xml>&amp;"\'',
  'a//b',
  '/leading',
  'trail/',
  'dot/../x',
  'dot/./x',
  '..',
  'emoji😀',
  'tilde~$@:;,',
  'back\\slash',
  'e\u0301 and é',
  `long/${'k'.repeat(900)}`,
]

/** Declares the checks of keys. */
export function keyChecks(check: Check): void {
  for (const key of keys) {
    check(
      `the key ${JSON.stringify(key.slice(0, 30))} is stored, read, listed and deleted`,
      async (target) => {
        const { client, bucket } = target
        await put(target, key, `value of ${key}`)
        expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: key })))).toBe(
          `value of ${key}`,
        )
        const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key }))
        expect(Contents?.map(({ Key }) => Key)).toEqual([key])
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
        await expectRefusal(client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })), 404)
      },
    )
  }

  check('a key may continue another key', async (target) => {
    const { client, bucket } = target
    await put(target, 'p', '1')
    await put(target, 'p/q', '2')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'p' })))).toBe('1')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'p/q' })))).toBe('2')
  })

  check('keys that differ only in normal form are two keys', async (target) => {
    const { client, bucket } = target
    await put(target, 'nf/\u00e9', 'composed')
    await put(target, 'nf/e\u0301', 'decomposed')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'nf/\u00e9' })))).toBe(
      'composed',
    )
  })

  check('a key of 1,024 bytes is stored and one of 1,025 is KeyTooLongError', async (target) => {
    await put(target, 'é'.repeat(512), 'x')
    await expectRefusal(put(target, `${'é'.repeat(512)}x`, 'x'), 400, 'KeyTooLongError')
  })

  check('many keys are deleted at once, those that are not there too', async (target) => {
    const { client, bucket } = target
    const names = ['many/a b', 'many/<&>', 'many/ü+']
    for (const name of names) await put(target, name, 'x')
    const Objects = [...names, 'many/absent'].map((Key) => ({ Key }))
    const output = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
    expect(output.Deleted?.map(({ Key }) => Key)).toEqual(['many/a b', 'many/<&>', 'many/ü+', 'many/absent'])
    expect(output.Errors).toBeUndefined()
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'many/' }))
    expect(KeyCount).toBe(0)
  })

  check('a quiet deletion says nothing of what it deleted', async (target) => {
    const { client, bucket } = target
    await put(target, 'quiet', 'x')
    const output = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: 'quiet' }], Quiet: true } }),
    )
    expect(output.Deleted).toBeUndefined()
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'quiet' })), 404)
  })
}

function put({ client, bucket }: S3Target, Key: string, Body: string) {
  return client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))
}
