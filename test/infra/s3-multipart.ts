/** Checks: multipart uploads, by hand and through the SDK's uploader. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { expect } from 'vitest'
import { type Check, chunksOf, expectRefusal, patternOf, type S3Target } from './s3-target.ts'

const mebibyte = 1_048_576

/** Declares the checks of multipart uploads. */
export function multipartChecks(check: Check): void {
  check(
    'the uploader stores 12 MiB in parts, with type, metadata and a composite checksum',
    async (target) => {
      const { client, bucket } = target
      const bytes = patternOf(12 * mebibyte)
      const params = {
        Bucket: bucket,
        Key: 'uploaded',
        Body: Readable.from(chunksOf(bytes, 65_536)),
        ContentType: 'application/x-mp',
        Metadata: { a: 'b' },
      }
      const done = await new Upload({ client, params }).done()
      expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/)
      const got = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: 'uploaded', ChecksumMode: 'ENABLED' }),
      )
      expect(got).toMatchObject({ ContentType: 'application/x-mp', Metadata: { a: 'b' }, ETag: done.ETag })
      expect(got.ChecksumCRC32).toMatch(/-3$/)
      expect(got.ChecksumType).toBe('COMPOSITE')
      expect(md5(await bytesOf(got))).toBe(md5(bytes))
    },
  )

  check('the tag is the digest of the digests of the parts', async (target) => {
    const { uploadId, parts } = await begin(target, 'tagged', [patternOf(5 * mebibyte), Buffer.from('tail')])
    const output = await complete(target, 'tagged', uploadId, parts)
    const digests = [patternOf(5 * mebibyte), Buffer.from('tail')].map((part) =>
      createHash('md5').update(part).digest(),
    )
    expect(output.ETag).toBe(`"${md5(Buffer.concat(digests))}-2"`)
    const head = await target.client.send(new HeadObjectCommand({ Bucket: target.bucket, Key: 'tagged' }))
    expect(head.ContentLength).toBe(5_242_884)
  })

  check('a full-object checksum covers the joined bytes', async (target) => {
    const { uploadId, parts } = await begin(target, 'full', [Buffer.from('hello')], {
      ChecksumAlgorithm: 'CRC32',
      ChecksumType: 'FULL_OBJECT',
    })
    const wrong = complete(target, 'full', uploadId, parts, { ChecksumCRC32: 'AAAAAA==' })
    await expectRefusal(wrong, 400, 'BadDigest')
    const output = await complete(target, 'full', uploadId, parts, { ChecksumCRC32: 'NhCmhg==' })
    expect([output.ChecksumCRC32, output.ChecksumType]).toEqual(['NhCmhg==', 'FULL_OBJECT'])
  })

  check('parts may be sent in any order and again', async (target) => {
    const { client, bucket } = target
    const { uploadId } = await begin(target, 'again', [])
    const send = (PartNumber: number, Body: Buffer) =>
      client.send(
        new UploadPartCommand({ Bucket: bucket, Key: 'again', UploadId: uploadId, PartNumber, Body }),
      )
    const last = await send(7, Buffer.from('end'))
    await send(2, Buffer.from('thrown away'))
    const first = await send(2, patternOf(5 * mebibyte))
    await complete(target, 'again', uploadId, [
      { PartNumber: 2, ETag: first.ETag, ChecksumCRC32: first.ChecksumCRC32 },
      { PartNumber: 7, ETag: last.ETag, ChecksumCRC32: last.ChecksumCRC32 },
    ])
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'again', Range: 'bytes=-4' }))
    expect((await bytesOf(got)).subarray(1).toString()).toBe('end')
  })

  check('a part list that is wrong is refused, and nothing is stored', async (target) => {
    const { uploadId, parts } = await begin(target, 'listed', [Buffer.from('small'), Buffer.from('tail')])
    const [first, second] = parts
    if (!first || !second) throw new Error('no parts')
    const attempt = (list: CompletedPart[]) => complete(target, 'listed', uploadId, list)
    await expectRefusal(attempt([second, first]), 400, 'InvalidPartOrder')
    await expectRefusal(attempt([first, first]), 400, 'InvalidPartOrder')
    await expectRefusal(attempt([first, { PartNumber: 9, ETag: second.ETag }]), 400, 'InvalidPart')
    await expectRefusal(attempt([{ ...first, ETag: second.ETag }]), 400, 'InvalidPart')
    await expectRefusal(attempt([first, second]), 400, 'EntityTooSmall')
    const { client, bucket } = target
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'listed' })), 404)
  })

  check('an upload that was aborted or completed is NoSuchUpload', async (target) => {
    const { client, bucket } = target
    const { uploadId, parts } = await begin(target, 'aborted', [Buffer.from('x')])
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: 'aborted', UploadId: uploadId }))
    await expectRefusal(complete(target, 'aborted', uploadId, parts), 404, 'NoSuchUpload')
    const other = await begin(target, 'aborted', [Buffer.from('x')])
    await complete(target, 'aborted', other.uploadId, other.parts)
    const late = new UploadPartCommand({
      Bucket: bucket,
      Key: 'aborted',
      UploadId: other.uploadId,
      PartNumber: 2,
      Body: 'x',
    })
    await expectRefusal(client.send(late), 404, 'NoSuchUpload')
  })

  check('If-None-Match: * holds when an upload is completed', async (target) => {
    const { client, bucket } = target
    const { uploadId, parts } = await begin(target, 'taken', [Buffer.from('x')])
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'taken', Body: 'first' }))
    const late = complete(target, 'taken', uploadId, parts, { IfNoneMatch: '*' })
    await expectRefusal(late, 412, 'PreconditionFailed')
  })

  check('a part may be copied from a range of an object', async (target) => {
    const { client, bucket } = target
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'part source', Body: 'hello' }))
    const { uploadId } = await begin(target, 'from-copy', [])
    const output = await client.send(
      new UploadPartCopyCommand({
        Bucket: bucket,
        Key: 'from-copy',
        UploadId: uploadId,
        PartNumber: 1,
        CopySource: encodeURIComponent(`${bucket}/part source`),
        CopySourceRange: 'bytes=1-3',
      }),
    )
    const { ETag, ChecksumCRC32 } = output.CopyPartResult ?? {}
    await complete(target, 'from-copy', uploadId, [{ PartNumber: 1, ETag, ChecksumCRC32 }])
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'from-copy' }))
    expect((await bytesOf(got)).toString()).toBe('ell')
  })
}

async function begin(
  { client, bucket }: S3Target,
  Key: string,
  bodies: Buffer[],
  extra: Partial<CreateMultipartUploadCommandInput> = {},
) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key, ...extra }))
  const parts: CompletedPart[] = []
  for (const [at, Body] of bodies.entries()) {
    const PartNumber = at + 1
    const sent = await client.send(new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber, Body }))
    parts.push({ PartNumber, ETag: sent.ETag, ChecksumCRC32: sent.ChecksumCRC32 })
  }
  return { uploadId: UploadId, parts }
}

function complete(
  { client, bucket }: S3Target,
  Key: string,
  UploadId: string | undefined,
  Parts: CompletedPart[],
  extra: Partial<CompleteMultipartUploadCommandInput> = {},
) {
  return client.send(
    new CompleteMultipartUploadCommand({
      Bucket: bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
      ...extra,
    }),
  )
}

async function bytesOf(output: { Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined }) {
  return Buffer.from((await output.Body?.transformToByteArray()) ?? [])
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
