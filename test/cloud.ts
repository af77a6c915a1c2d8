/**
 * The cloud under a test's service: the one in this process or, with `LIVE_ENDPOINT`, the AWS-like endpoint that it
 * names, where every service gets a bucket and tables of its own.
 */
import { randomUUID } from 'node:crypto'
import { type Cloud, type CloudOptions, startCloud as startLocalCloud } from '../infra/local/cloud.ts'

const endpoint = process.env.LIVE_ENDPOINT

/** Starts the cloud in this process, or stands for the one that runs (which sends its events elsewhere). */
export async function startCloud(options: CloudOptions = {}): Promise<Cloud> {
  if (!endpoint) return startLocalCloud(options)
  return {
    environment: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local-secret',
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    },
    async close() {},
  }
}

/** The names of a service's resources: fixed where nobody else is. */
export function resourceNames() {
  const suffix = endpoint ? `-${randomUUID().slice(0, 8)}` : ''
  return {
    FILES_BUCKET: `files-bucket${suffix}`,
    FILES_TABLE: `files${suffix}`,
    BUCKETS_TABLE: `buckets${suffix}`,
  }
}
