/**
 * The emulator passes the list of checks, in memory and on disk.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { type S3Options, startS3 } from '../../infra/local/s3/server.ts'
import { s3Checks } from './s3-checks.ts'

const credentials = { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local-secret' }

async function open(options: S3Options) {
  const emulator = await startS3({ credentials, ...options })
  const client = new S3Client({
    endpoint: emulator.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
  })
  await client.send(new CreateBucketCommand({ Bucket: 'checks' }))
  return { client, bucket: 'checks', close: () => emulator.close() }
}

s3Checks('S3 in memory', () => open({}))

s3Checks('S3 on disk', async () => {
  const dir = await mkdtemp(join(tmpdir(), 's3-checks-'))
  const target = await open({ dir })
  const close = async () => {
    await target.close()
    await rm(dir, { recursive: true })
  }
  return { ...target, close }
})
