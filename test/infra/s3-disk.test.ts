/**
 * On disk the emulator keeps everything across a restart and a kill, and a broken upload leaves nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clientOf, startTarget, temporaryFolder } from './s3-start.ts'
import { expectRefusal, patternOf, textOf } from './s3-target.ts'

let dir = ''
beforeEach(async () => {
  dir = await temporaryFolder()
})
afterEach(() => rm(dir, { recursive: true }))

/** The names of all body files. */
async function bodies(): Promise<string[]> {
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Waits until the folder has that many bodies: freed ones are removed behind the answer. */
async function expectBodies(count: number): Promise<void> {
  await expect.poll(async () => (await bodies()).length).toBe(count)
}

it('a restart keeps versions in order, settings and uploads', async () => {
  const first = await startTarget({ dir, versioned: true })
  const { bucket: Bucket } = first
  const key = `dot/../${'ü'.repeat(450)}`
  const one = await first.client.send(
    new PutObjectCommand({ Bucket, Key: key, Body: 'one', ContentType: 'text/x', Metadata: { a: 'b' } }),
  )
  const two = await first.client.send(new PutObjectCommand({ Bucket, Key: key, Body: 'two' }))
  const marker = await first.client.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
  const rule = { AllowedOrigins: ['*'], AllowedMethods: ['GET'] }
  await first.client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }))
  const { UploadId } = await first.client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'mp' }))
  const part = await first.client.send(
    new UploadPartCommand({ Bucket, Key: 'mp', UploadId, PartNumber: 1, Body: 'part' }),
  )
  await first.close()

  const { client, close } = await startTarget({ dir })
  const list = await client.send(new ListObjectVersionsCommand({ Bucket }))
  expect(list.Versions?.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest])).toEqual([
    [key, two.VersionId, true],
    [key, one.VersionId, false],
  ])
  expect(list.DeleteMarkers?.map(({ Key, VersionId }) => [Key, VersionId])).toEqual([
    ['gone', marker.VersionId],
  ])
  const old = await client.send(
    new GetObjectCommand({ Bucket, Key: key, VersionId: one.VersionId, ChecksumMode: 'ENABLED' }),
  )
  expect(await textOf(old)).toBe('one')
  expect(old).toMatchObject({ ContentType: 'text/x', Metadata: { a: 'b' }, ChecksumCRC32: one.ChecksumCRC32 })
  expect((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe('Enabled')
  expect((await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toEqual([rule])
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }]
  await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key: 'mp', UploadId, MultipartUpload: { Parts } }),
  )
  expect(await textOf(await client.send(new GetObjectCommand({ Bucket, Key: 'mp' })))).toBe('part')
  await expectBodies(3)
  await close()
})

it('what is replaced or deleted for good is removed from disk', async () => {
  const { client, bucket: Bucket, close } = await startTarget({ dir })
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'one' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'two' }))
  await expectBodies(1)
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
  await expectBodies(0)
  await close()
})

it('an upload that breaks off, and one that is refused, leave nothing', async () => {
  const { client, bucket: Bucket, endpoint, close } = await startTarget({ dir, trusting: true })
  const bad = new PutObjectCommand({ Bucket, Key: 'k', Body: 'hello', ChecksumCRC32: 'AAAAAA==' })
  await expectRefusal(client.send(bad), 400, 'BadDigest')
  await expectBodies(0)
  const upload = request(`${endpoint}/${Bucket}/k`, {
    method: 'PUT',
    headers: { authorization: 'none', 'content-length': 1_000_000 },
  })
  upload.on('error', () => {})
  upload.write(patternOf(500_000))
  await expectBodies(1)
  upload.destroy()
  await expectBodies(0)
  await expectRefusal(client.send(new HeadObjectCommand({ Bucket, Key: 'k' })), 404)
  await close()
})

it('a torn last line is cut off and the next change is written behind it', async () => {
  const first = await startTarget({ dir })
  await first.client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: '1' }))
  await first.close()
  await appendFile(join(dir, 'journal.jsonl'), '{"op":"put","bucket":"buck')
  const second = await startTarget({ dir })
  await second.client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'b', Body: '2' }))
  await second.close()
  const third = await startTarget({ dir })
  const { Contents } = await third.client.send(new ListObjectsV2Command({ Bucket: 'bucket' }))
  expect(Contents?.map(({ Key }) => Key)).toEqual(['a', 'b'])
  await third.close()
})

it('a damaged line that is not the last is an error and not a loss', async () => {
  const first = await startTarget({ dir })
  await first.close()
  await appendFile(join(dir, 'journal.jsonl'), 'nonsense\n{"op":"abort","upload":"x"}\n')
  await expect(startTarget({ dir })).rejects.toThrow('is damaged at byte')
})

it('an object whose bytes are lost is a failure, not an answer that never comes', async () => {
  const first = await startTarget({ dir })
  await first.client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: '1' }))
  await first.close()
  for (const name of await bodies()) await rm(join(dir, 'blobs', name.slice(0, 2), name))
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const second = await startTarget({ dir })
  await expectRefusal(
    second.client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a' })),
    500,
    'InternalError',
  )
  expect(error).toHaveBeenCalled()
  await second.client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: '3' }))
  expect(await textOf(await second.client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a' })))).toBe(
    '3',
  )
  await second.close()
  error.mockRestore()
})

it('a journal of many changes is written anew at the start', async () => {
  const first = await startTarget({ dir })
  const churn = Array.from({ length: 1500 }, (_, index) => ({ Bucket: 'bucket', Key: 'k', Body: `${index}` }))
  for (const input of churn) await first.client.send(new PutObjectCommand(input))
  await first.close()
  const second = await startTarget({ dir })
  const lines = (await readFile(join(dir, 'journal.jsonl'), 'utf8')).split('\n')
  expect(lines.length).toBeLessThan(5)
  const got = await second.client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }))
  expect(await textOf(got)).toBe('1499')
  await second.close()
})

it('a kill amid uploads loses nothing that was acknowledged and shows nothing that was not', async () => {
  const child = await startChild()
  const client = clientOf(child.endpoint)
  const Bucket = 'bucket'
  const acknowledged: string[] = []
  const Body = patternOf(300_000)
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let index = 0; ; index++) {
      const Key = `${writer}-${index}`
      await client.send(new PutObjectCommand({ Bucket, Key, Body }))
      acknowledged.push(Key)
    }
  })
  await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(40)
  child.process.kill('SIGKILL')
  await Promise.allSettled(writers)
  client.destroy()

  const again = await startTarget({ dir })
  const listed: string[] = []
  let ContinuationToken: string | undefined
  do {
    const page = await again.client.send(new ListObjectsV2Command({ Bucket, ContinuationToken }))
    for (const { Key } of page.Contents ?? []) listed.push(Key ?? '')
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
  expect(acknowledged.filter((key) => !listed.includes(key))).toEqual([])
  for (const Key of listed.slice(-16)) {
    const got = await again.client.send(new GetObjectCommand({ Bucket, Key }))
    expect(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true)
  }
  expect((await bodies()).length).toBe(listed.length)
  await again.close()
})

/** An emulator in a process of its own, on the same folder. */
async function startChild(): Promise<{ process: ChildProcess; endpoint: string }> {
  const first = await startTarget({ dir })
  await first.close()
  const script = `
    import { startS3 } from ${JSON.stringify(join(import.meta.dirname, '../../infra/local/s3/server.ts'))}
    console.log((await startS3({ dir: ${JSON.stringify(dir)} })).endpoint)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { process: child, endpoint: String(line).trim() }
}
