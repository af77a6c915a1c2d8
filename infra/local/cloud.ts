/**
 * S3 and DynamoDB in this process, and the environment by which the AWS SDK finds them: the very variables that would
 * name LocalStack or moto, and nothing else.
 */
import { startDynamo } from './dynamodb/server.ts'
import { credentials, environmentOf, region } from './identity.ts'
import type { S3Event } from './s3/events.ts'
import { startS3 } from './s3/server.ts'

/** A running local cloud. */
export interface Cloud {
  /** The SDK's standard variables that point at it. */
  readonly environment: Readonly<Record<string, string>>
  /** Resolves when the events of all that was answered so far have been told; absent where nobody can know. */
  flush?(): Promise<void>
  close(): Promise<void>
}

/** How to run it; everything has a default. */
export interface CloudOptions {
  /** Called after each change of an object. */
  readonly onEvent?: ((event: S3Event) => void) | undefined
}

/** Starts both emulators, in memory. */
export async function startCloud({ onEvent }: CloudOptions = {}): Promise<Cloud> {
  const dynamo = await startDynamo({ accessKeyId: credentials.accessKeyId })
  const s3 = await startS3({ region, credentials, ...(onEvent ? { onEvent } : {}) })
  return {
    environment: environmentOf({ s3: s3.endpoint, dynamodb: dynamo.endpoint }),
    async close() {
      await Promise.all([dynamo.close(), s3.close()])
    },
  }
}
