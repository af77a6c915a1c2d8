/**
 * Starts an emulator with a client and a bucket, for the tests of what only the emulator has.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3'
import { type S3Options, startS3 } from '../../infra/local/s3/server.ts'

/** The credentials that the tests sign with. */
export const credentials = { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local-secret' }

/** A client of that endpoint. */
export function clientOf(endpoint: string): S3Client {
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })
}

/** An emulator with a bucket named `bucket`; it verifies signatures unless `trusting`. */
export async function startTarget(options: S3Options & { versioned?: boolean; trusting?: boolean } = {}) {
  const { versioned = false, trusting = false, ...rest } = options
  const emulator = await startS3(trusting ? rest : { credentials, ...rest })
  const client = clientOf(emulator.endpoint)
  const bucket = 'bucket'
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  if (versioned) {
    const VersioningConfiguration = { Status: 'Enabled' as const }
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }))
  }
  const close = async () => {
    client.destroy()
    await emulator.close()
  }
  return { client, bucket, endpoint: emulator.endpoint, close }
}

/** A new folder under the system's one for temporary files. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 's3-'))
}
