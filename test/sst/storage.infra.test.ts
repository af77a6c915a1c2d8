/**
 * Bucket, tables, queues and the way from one to the other, as they would be deployed to each kind of stage.
 */
import { describe, expect, test } from 'vitest'
import { allowed, inputsOf, ofKind, planOf, planWith, resourceOf } from './stages.ts'

const plans = { dev: planOf('dev'), staging: planOf('staging'), production: planOf('production') }
const stages = Object.entries(plans)

describe.each(stages)('in %s', (stage, plan) => {
  const bucket = `file-resolver-${stage}-filesbucketbucket-bdvfbzta`
  const queue = `arn:aws:sqs:us-east-1:123456789012:file-resolver-${stage}-IndexQueueQueue-bdvfbzta`

  test('the bucket is private, versioned and encrypted, and no browser may reach it', () => {
    expect(inputsOf(plan, 'BucketPublicAccessBlock', 'FilesBucketPublicAccessBlock')).toEqual({
      bucket,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    })
    expect(inputsOf(plan, 'BucketVersioning', 'FilesBucketVersioning').versioningConfiguration).toEqual({
      status: 'Enabled',
    })
    expect(inputsOf(plan, 'BucketServerSideEncryptionConfiguration', 'FilesBucketEncryption').rules).toEqual([
      { applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } },
    ])
    expect(ofKind(plan, 'BucketCorsConfiguration')).toEqual([])
    expect(ofKind(plan, 'Bucket').length).toBe(1)
  })

  test('the bucket answers over TLS only', () => {
    const { policy } = inputsOf(plan, 'BucketPolicy', 'FilesBucketPolicy')
    expect(allowed(policy)).toEqual([
      `Deny s3:* arn:aws:s3:::${bucket} [["Bool","aws:SecureTransport","false"]]`,
      `Deny s3:* arn:aws:s3:::${bucket}/* [["Bool","aws:SecureTransport","false"]]`,
    ])
  })

  test('noncurrent versions and unfinished uploads go, and nothing that is current does', () => {
    expect(inputsOf(plan, 'BucketLifecycleConfiguration', 'FilesBucketLifecycle').rules).toEqual([
      {
        id: 'tidy',
        status: 'Enabled',
        filter: { prefix: '' },
        noncurrentVersionExpiration: { noncurrentDays: 30 },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 7 },
        expiration: { expiredObjectDeleteMarker: true },
      },
    ])
  })

  test('one notification tells the queue of everything that happens to files', () => {
    expect(ofKind(plan, 'BucketNotification').map(({ inputs }) => inputs)).toEqual([
      {
        bucket,
        lambdaFunctions: [],
        topics: [],
        queues: [
          {
            id: 'Index',
            queueArn: queue,
            events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:LifecycleExpiration:*'],
            filterPrefix: 'files/',
          },
        ],
      },
    ])
  })

  test('only this bucket in this account may write to the queue', () => {
    const policies = ofKind(plan, 'QueuePolicy').map(({ inputs }) => JSON.parse(String(inputs.policy)))
    expect(policies).toEqual([
      {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['sqs:SendMessage'],
            Resource: [queue],
            Principal: [{ type: 'Service', identifiers: ['s3.amazonaws.com'] }],
            Condition: [
              ['ArnEquals', 'aws:SourceArn', `arn:aws:s3:::${bucket}`],
              ['StringEquals', 'aws:SourceAccount', '123456789012'],
            ],
          },
        ],
      },
    ])
  })

  test('an event is tried five times, then kept apart for 14 days', () => {
    const events = inputsOf(plan, 'Queue', 'IndexQueueQueue')
    expect(JSON.parse(events.redrivePolicy)).toEqual({
      deadLetterTargetArn: `arn:aws:sqs:us-east-1:123456789012:file-resolver-${stage}-DeadLettersQueue-bdvfbzta`,
      maxReceiveCount: 5,
    })
    expect(events).toMatchObject({
      visibilityTimeoutSeconds: 360,
      sqsManagedSseEnabled: true,
      fifoQueue: false,
    })
    expect(inputsOf(plan, 'Queue', 'DeadLettersQueue')).toMatchObject({
      messageRetentionSeconds: 1_209_600,
      sqsManagedSseEnabled: true,
    })
  })

  test('the Files table has point-in-time recovery and TTL, the Buckets table TTL only, and no secondary index', () => {
    expect(inputsOf(plan, 'Table', 'FilesTable')).toMatchObject({
      hashKey: 'pk',
      rangeKey: 'sk',
      billingMode: 'PAY_PER_REQUEST',
      pointInTimeRecovery: { enabled: true },
      ttl: { attributeName: 'expiresAtSec', enabled: true },
      globalSecondaryIndexes: [],
      localSecondaryIndexes: [],
      streamEnabled: false,
    })
    const buckets = inputsOf(plan, 'Table', 'BucketsTable')
    expect(buckets).toMatchObject({
      hashKey: 'pk',
      billingMode: 'PAY_PER_REQUEST',
      pointInTimeRecovery: { enabled: false },
      ttl: { attributeName: 'expiresAtSec', enabled: true },
      globalSecondaryIndexes: [],
    })
    expect(buckets).not.toHaveProperty('rangeKey')
    expect(buckets.deletionProtectionEnabled).not.toBe(true)
  })

  test('what is printed is what hosts and operators need, and nothing else', () => {
    const { _protect, ...outputs } = plan.outputs
    expect(outputs).toEqual({
      url: 'https://abc.lambda-url.us-east-1.on.aws/',
      bucket,
      table: `file-resolver-${stage}-FilesTable-bdvfbzta`,
      queue: `https://sqs.us-east-1.amazonaws.com/123456789012/file-resolver-${stage}-IndexQueueQueue-bdvfbzta`,
      filesWriterPolicy: `arn:aws:iam::123456789012:policy/file-resolver-${stage}-FilesWriter`,
    })
  })
})

test('production cannot be removed, and its bucket and table outlive everything', () => {
  const { production } = plans
  expect(production.app).toMatchObject({ removal: 'retain', protect: true })
  expect(resourceOf(production, 'Bucket', 'FilesBucketBucket')).toMatchObject({
    protect: true,
    retainOnDelete: true,
    inputs: { forceDestroy: false },
  })
  expect(resourceOf(production, 'Table', 'FilesTable')).toMatchObject({
    protect: true,
    retainOnDelete: true,
    inputs: { deletionProtectionEnabled: true },
  })
})

test('staging keeps its data from an accident, and a stage of somebody goes without a trace', () => {
  const { staging, dev } = plans
  expect(inputsOf(staging, 'Bucket', 'FilesBucketBucket').forceDestroy).toBe(false)
  expect(inputsOf(staging, 'Table', 'FilesTable').deletionProtectionEnabled).toBe(true)
  expect(dev.app).toMatchObject({ removal: 'remove', protect: false })
  expect(resourceOf(dev, 'Bucket', 'FilesBucketBucket')).toMatchObject({
    protect: false,
    retainOnDelete: false,
    inputs: { forceDestroy: true },
  })
  expect(inputsOf(dev, 'Table', 'FilesTable').deletionProtectionEnabled).not.toBe(true)
})

test('pages of the origins that were named may put what a host signed, and nothing else', () => {
  const plan = planWith('dev', { UPLOAD_ORIGINS: 'https://app.example.com' })
  expect(inputsOf(plan, 'BucketCorsConfiguration', 'FilesBucketCors').corsRules).toEqual([
    {
      allowedOrigins: ['https://app.example.com'],
      allowedMethods: ['PUT'],
      allowedHeaders: ['content-type', 'content-encoding', 'if-none-match'],
      exposeHeaders: ['etag', 'x-amz-version-id'],
      maxAgeSeconds: 600,
    },
  ])
  expect(() => planWith('dev', { UPLOAD_ORIGINS: '*' })).toThrow('UPLOAD_ORIGINS')
})
