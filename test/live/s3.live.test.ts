/**
 * What this project relies on in S3, asked of the endpoint that `LIVE_ENDPOINT` names.
 */
import { randomUUID } from 'node:crypto'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { s3Checks } from '../infra/s3-checks.ts'
import { clientOf } from '../infra/s3-start.ts'
import { endpoint, known } from './target.ts'

s3Checks(
  `S3 at ${endpoint}`,
  async () => {
    const client = clientOf(endpoint)
    const bucket = `checks-${randomUUID()}`
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    return { client, bucket }
  },
  { skip: known.s3 },
)
