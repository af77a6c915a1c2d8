/**
 * Who the emulators let in and where they claim to be: said once for the emulators and for the SDK's variables that
 * lead to them.
 */
import { randomBytes } from 'node:crypto'
import type { Credentials } from './s3/authorise.ts'

/** The region of the local cloud. */
export const region = 'us-east-1'

/** All that the emulators accept: new in each process, or any web page could sign requests to this machine with them. */
export const credentials: Credentials = {
  accessKeyId: `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(20).toString('hex'),
}

/** The SDK's standard variables that point at the emulators. */
export function environmentOf(endpoints: { s3: string; dynamodb: string }): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  }
}
