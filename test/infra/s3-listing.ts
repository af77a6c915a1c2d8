/** Checks: listings in UTF-8 byte order, with pages, prefixes, delimiters and encoding. */
import { ListObjectsV2Command, type ListObjectsV2CommandInput, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, type S3Target } from './s3-target.ts'

/** Declares the checks of listings. */
export function listingChecks(check: Check): void {
  check('keys are listed in the order of their UTF-8 bytes', async (target) => {
    await fill(target, ['o/Z', 'o/a', 'o/é', 'o/0', 'o/_', 'o/\uffee', 'o/😀', 'o/aa'])
    expect(await list(target, { Prefix: 'o/' })).toEqual({
      keys: ['o/0', 'o/Z', 'o/_', 'o/a', 'o/aa', 'o/é', 'o/\uffee', 'o/😀'],
      prefixes: [],
      pages: 1,
    })
  })

  check('pages with a delimiter show every key and every common prefix once', async (target) => {
    const folders = Array.from({ length: 7 }, (_, index) => `ls/${index}/f`)
    const files = Array.from({ length: 5 }, (_, index) => `ls/f${index} +`)
    await fill(target, [...folders, 'ls/3/g', ...files])
    expect(await list(target, { Prefix: 'ls/', Delimiter: '/', MaxKeys: 3 })).toEqual({
      keys: ['ls/f0 +', 'ls/f1 +', 'ls/f2 +', 'ls/f3 +', 'ls/f4 +'],
      prefixes: ['ls/0/', 'ls/1/', 'ls/2/', 'ls/3/', 'ls/4/', 'ls/5/', 'ls/6/'],
      pages: 4,
    })
  })

  check('a page of one goes on behind a key and behind a prefix', async (target) => {
    await fill(target, ['one/a', 'one/b/1', 'one/b/2', 'one/c'])
    expect(await list(target, { Prefix: 'one/', Delimiter: '/', MaxKeys: 1 })).toEqual({
      keys: ['one/a', 'one/c'],
      prefixes: ['one/b/'],
      pages: 3,
    })
  })

  check('a listing may start after a key', async (target) => {
    await fill(target, ['sa/1', 'sa/2', 'sa/3'])
    expect((await list(target, { Prefix: 'sa/', StartAfter: 'sa/1' })).keys).toEqual(['sa/2', 'sa/3'])
    expect((await list(target, { Prefix: 'sa/', StartAfter: 'sa/15' })).keys).toEqual(['sa/2', 'sa/3'])
  })

  check('encoding-type=url encodes keys', async (target) => {
    await fill(target, ['enc/a b+ü'])
    const { client, bucket } = target
    const output = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: 'enc/a b', EncodingType: 'url' }),
    )
    expect(output.EncodingType).toBe('url')
    expect(output.Contents?.[0]?.Key).toBe('enc/a+b%2B%C3%BC')
  })

  check('a listing tells size, tag, class and time', async (target) => {
    await fill(target, ['told/x'])
    const { client, bucket } = target
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'told/' }))
    expect(Contents?.[0]).toMatchObject({
      Key: 'told/x',
      Size: 5,
      ETag: '"5d41402abc4b2a76b9719d911017c592"',
      StorageClass: 'STANDARD',
      LastModified: expect.any(Date),
    })
  })

  check('max-keys of 0 shows nothing and promises nothing', async ({ client, bucket }) => {
    const output = await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 0 }))
    expect([output.KeyCount, output.IsTruncated]).toEqual([0, false])
  })

  check('a continuation token that was never given is refused', async ({ client, bucket }) => {
    const forged = client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: 'forged' }))
    await expectRefusal(forged, 400, 'InvalidArgument')
  })
}

async function fill({ client, bucket }: S3Target, keys: string[]): Promise<void> {
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'hello' }))
}

async function list({ client, bucket }: S3Target, input: Omit<ListObjectsV2CommandInput, 'Bucket'>) {
  const found = { keys: [] as (string | undefined)[], prefixes: [] as (string | undefined)[], pages: 0 }
  let token: string | undefined
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token, ...input }),
    )
    found.keys.push(...(page.Contents ?? []).map(({ Key }) => Key))
    found.prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix))
    found.pages++
    token = page.NextContinuationToken
  } while (token !== undefined && found.pages < 50)
  return found
}
