/** Checks: every digest that a client states is verified, and streamed bodies come back byte for byte. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, chunksOf, expectRefusal, patternOf, type S3Target, textOf } from './s3-target.ts'

/** Checksums of `hello`, each computed by another implementation. */
const checksums = {
  CRC32: 'NhCmhg==',
  CRC32C: 'mnG7TA==',
  CRC64NVME: 'M3eFcAZSQlc=',
  SHA1: 'qvTGHdzF6KLavt4PO0gs2a6pQ00=',
  SHA256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
} as const

/** Declares the checks of digests and streams. */
export function integrityChecks(check: Check): void {
  check('the default CRC32 is verified, answered and given back on demand', async ({ client, bucket }) => {
    const put = await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'crc', Body: 'hello' }))
    expect([put.ChecksumCRC32, put.ChecksumType]).toEqual(['NhCmhg==', 'FULL_OBJECT'])
    const input = { Bucket: bucket, Key: 'crc', ChecksumMode: 'ENABLED' } as const
    const head = await client.send(new HeadObjectCommand(input))
    expect([head.ChecksumCRC32, head.ChecksumType]).toEqual(['NhCmhg==', 'FULL_OBJECT'])
    const got = await client.send(new GetObjectCommand(input))
    expect([await textOf(got), got.ChecksumCRC32]).toEqual(['hello', 'NhCmhg=='])
  })

  for (const [algorithm, value] of Object.entries(checksums)) {
    const member = `Checksum${algorithm}`
    check(`a right ${algorithm} is accepted and a wrong one is BadDigest`, async ({ client, bucket }) => {
      const put = (Body: string) =>
        client.send(new PutObjectCommand({ Bucket: bucket, Key: `sum-${algorithm}`, Body, [member]: value }))
      expect(await put('hello')).toMatchObject({ [member]: value })
      await expectRefusal(put('hellO'), 400, 'BadDigest')
    })
  }

  check(
    'a wrong Content-MD5 is BadDigest and one that is no digest InvalidDigest',
    async ({ client, bucket }) => {
      const put = (ContentMD5: string) =>
        client.send(new PutObjectCommand({ Bucket: bucket, Key: 'md5', Body: 'hello', ContentMD5 }))
      await expectRefusal(put('AAAAAAAAAAAAAAAAAAAAAA=='), 400, 'BadDigest')
      await expectRefusal(put('AAAA'), 400, 'InvalidDigest')
      expect((await put('XUFAKrxLKna5cZ2REBfFkg==')).ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
    },
  )

  check('a refused body stores nothing and replaces nothing', async ({ client, bucket }) => {
    const put = (Body: string, extra: Partial<PutObjectCommandInput> = {}) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: 'kept', Body, ...extra }))
    await put('first')
    await expectRefusal(put('second', { ChecksumCRC32: 'AAAAAA==' }), 400, 'BadDigest')
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'kept' })))).toBe(
      'first',
    )
  })

  check('a stream of 10 MiB with a CRC32 trailer comes back byte for byte', async (target) => {
    const put = await putStream(target, 'stream', patternOf(10_485_760), 65_536)
    expect(put.encoding).toBeUndefined()
    expect(put.md5).toBe(put.expected)
    expect(put.ETag).toBe(`"${put.expected}"`)
  })

  check('odd chunks with a SHA-256 trailer come back byte for byte', async (target) => {
    const put = await putStream(target, 'odd', patternOf(300_001), 777, { ChecksumAlgorithm: 'SHA256' })
    expect(put.md5).toBe(put.expected)
  })

  check('a stream that is shorter than announced stores nothing', async ({ client, bucket }) => {
    const body = patternOf(100_000)
    const put = new PutObjectCommand({
      Bucket: bucket,
      Key: 'shorter',
      Body: Readable.from(chunksOf(body, 1000)),
      ContentLength: 100_001,
    })
    await expect(client.send(put)).rejects.toThrow()
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'shorter' })), 404)
  })

  check('a reader who leaves disturbs nobody', async ({ client, bucket }) => {
    const Key = 'left'
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: patternOf(4_194_304) }))
    const abandoned = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    if (!(abandoned.Body instanceof Readable)) throw new Error('no stream')
    for await (const _ of abandoned.Body) break
    abandoned.Body.destroy()
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    expect((await got.Body?.transformToByteArray())?.length).toBe(4_194_304)
  })
}

async function putStream(
  { client, bucket }: S3Target,
  Key: string,
  bytes: Buffer,
  chunkBytes: number,
  extra: Partial<PutObjectCommandInput> = {},
) {
  const Body = Readable.from(chunksOf(bytes, chunkBytes))
  const put = await client.send(
    new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength: bytes.length, ...extra }),
  )
  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
  const read = (await got.Body?.transformToByteArray()) ?? Buffer.alloc(0)
  const md5 = (data: Uint8Array) => createHash('md5').update(data).digest('hex')
  return { ETag: put.ETag, encoding: got.ContentEncoding, md5: md5(read), expected: md5(bytes) }
}
