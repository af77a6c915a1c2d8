/**
 * The stores as the functions that keep the index need them: those of files, the quarantine, the table as a whole.
 */
import { S3Client } from '@aws-sdk/client-s3'
import type { StoreConfig } from '../lib/config.ts'
import { createPresign } from '../lib/presign.ts'
import { createRefusals } from '../lib/refusals.ts'
import { createSurvey } from '../lib/survey.ts'
import type { Presign } from '../lib/upload.ts'
import type { ReconcileStores } from '../lib/work.ts'
import { createDynamo, createStores } from './wiring.ts'

/** Signs uploads; its client adds no checksum, since the body is not known yet. */
export function createUploadSigner(config: StoreConfig, environment: NodeJS.ProcessEnv): Presign {
  const forcePathStyle = (environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL) !== undefined
  const client = new S3Client({ forcePathStyle, requestChecksumCalculation: 'WHEN_REQUIRED' })
  return createPresign(client, config.bucket)
}

/** Everything that indexing and reconciling read and write. */
export function createIndexStores(config: StoreConfig, environment: NodeJS.ProcessEnv): ReconcileStores {
  const dynamo = createDynamo()
  return {
    ...createStores(config, environment),
    refusals: createRefusals(dynamo, config.filesTable),
    survey: createSurvey(dynamo, config.filesTable),
    maxReadBytes: config.maxReadBytes,
  }
}
