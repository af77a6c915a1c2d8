/**
 * S3 and DynamoDB in this process, and the environment by which the AWS SDK finds them: the very variables that would
 * name LocalStack or moto, and nothing else.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startDynamo } from './dynamodb/server.ts'
import type { S3Event } from './s3/events.ts'
import { startS3 } from './s3/server.ts'

/** A running local cloud. */
export interface Cloud {
  /** The SDK's standard variables that point at it. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

const credentials = { accessKeyId: 'local', secretAccessKey: 'local-secret' }
const region = 'us-east-1'

/** How to run it; everything has a default. */
export interface CloudOptions {
  /** Keeps the data; without it everything is forgotten. */
  readonly dir?: string | undefined
  /** Called after each change of an object. */
  readonly onEvent?: ((event: S3Event) => void) | undefined
}

/** Starts both emulators. Throws when the folder is in use. */
export async function startCloud({ dir, onEvent }: CloudOptions = {}): Promise<Cloud> {
  const dynamo = await startDynamo(dir ? { dir: await folder(dir, 'dynamodb') } : {})
  const s3 = await startS3({
    region,
    credentials,
    ...(dir ? { dir: await folder(dir, 's3') } : {}),
    ...(onEvent ? { onEvent } : {}),
  })
  return {
    environment: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    },
    async close() {
      await Promise.all([dynamo.close(), s3.close()])
    },
  }
}

async function folder(dir: string, name: string): Promise<string> {
  const path = join(dir, name)
  await mkdir(path, { recursive: true })
  return path
}
