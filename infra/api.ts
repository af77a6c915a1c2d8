/**
 * The resolver behind its function URL. The URL is public: the token in each request is the gate, checked before any
 * storage is asked, and reserved concurrency bounds what strangers can cost.
 */
import { auth } from './auth.ts'
import { present } from './stage.ts'
import { buckets, fileObjects, files, filesBucket } from './storage.ts'

const { RESERVED_CONCURRENCY } = present('RESERVED_CONCURRENCY')

/** The namespace of the metrics that the code leaves in its log. */
export const namespace = `${$app.name}/${$app.stage}`

/** Reads and lists. */
export const resolver = new sst.aws.Function('Resolver', {
  bundle: 'dist/resolver',
  handler: 'index.handler',
  streaming: true,
  url: { authorization: 'none', cors: false },
  memory: '1024 MB',
  timeout: '180 seconds',
  // a new account cannot reserve any, so it is off unless set
  ...(RESERVED_CONCURRENCY ? { concurrency: { reserved: Number(RESERVED_CONCURRENCY) } } : {}),
  environment: {
    FILES_BUCKET: filesBucket.name,
    FILES_TABLE: files.name,
    BUCKETS_TABLE: buckets.name,
    METRICS_NAMESPACE: namespace,
    // with the 25 s until the first byte just inside the timeout: the answer ends as an error, not with the instance
    RESPONSE_TIMEOUT_MS: '150000',
    ...auth,
    ...present(
      'MAX_READ_BYTES',
      'RATE_LIMIT_PER_SECOND',
      'RATE_LIMIT_BURST',
      'FIRST_BYTE_TIMEOUT_MS',
      'IDLE_TIMEOUT_MS',
      'RESPONSE_TIMEOUT_MS',
    ),
  },
  permissions: [
    { actions: ['s3:GetObject', 's3:GetObjectVersion'], resources: [fileObjects] },
    // without it S3 answers 403 for a key that is not there
    { actions: ['s3:ListBucket'], resources: [filesBucket.arn] },
    { actions: ['dynamodb:GetItem', 'dynamodb:Query'], resources: [files.arn] },
    { actions: ['dynamodb:UpdateItem'], resources: [buckets.arn] },
  ],
})
