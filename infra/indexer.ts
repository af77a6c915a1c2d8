/**
 * From S3's events to the index: queue, indexer, and the events that could not be indexed. A daily reconciler repairs
 * what was lost.
 */
import { filesBucket as bucketRules, indexQueue as rules } from './definitions.ts'
import { isPermanent, present } from './stage.ts'
import { fileObjects, files, filesBucket } from './storage.ts'

/** Events that failed too often; an alarm tells, an operator looks. */
export const deadLetters = new sst.aws.Queue('DeadLetters', {
  transform: { queue: { messageRetentionSeconds: rules.keepSec, sqsManagedSseEnabled: true } },
})

/** S3's events, as they come: late, twice and out of order. */
export const indexQueue = new sst.aws.Queue('IndexQueue', {
  visibilityTimeout: `${rules.visibilitySec} seconds`,
  dlq: { queue: deadLetters.arn, retry: rules.maxReceives },
  transform: { queue: { messageRetentionSeconds: rules.keepSec, sqsManagedSseEnabled: true } },
})

const environment = {
  FILES_BUCKET: filesBucket.name,
  FILES_TABLE: files.name,
  ...present('MAX_READ_BYTES'),
}

/** What bringing one file's index in line with its object takes; also the end of a deletion that its host began. */
const indexing = [
  { actions: ['s3:GetObject', 's3:GetObjectVersion', 's3:DeleteObject'], resources: [fileObjects] },
  { actions: ['s3:ListBucket'], resources: [filesBucket.arn] },
  { actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'], resources: [files.arn] },
]

/** Indexes the objects that events name. */
export const indexer = new sst.aws.Function('Indexer', {
  bundle: 'dist/indexer',
  handler: 'index.handler',
  memory: '1024 MB',
  timeout: `${rules.timeoutSec} seconds`,
  environment,
  permissions: [
    ...indexing,
    {
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [indexQueue.arn],
    },
  ],
})

indexQueue.subscribe(indexer.arn, {
  batch: { size: rules.batchSize, partialResponses: true },
  transform: { eventSourceMapping: { scalingConfig: { maximumConcurrency: rules.maxConcurrency } } },
})

// SST would let the buckets of any account write here
$transform(aws.sqs.QueuePolicy, (args) => {
  args.policy = aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sqs:SendMessage'],
        resources: [indexQueue.arn],
        principals: [{ type: 'Service', identifiers: ['s3.amazonaws.com'] }],
        conditions: [
          { test: 'ArnEquals', variable: 'aws:SourceArn', values: [filesBucket.arn] },
          {
            test: 'StringEquals',
            variable: 'aws:SourceAccount',
            values: [aws.getCallerIdentityOutput({}).accountId],
          },
        ],
      },
    ],
  }).json
})

filesBucket.notify({
  notifications: [
    { name: 'Index', queue: indexQueue, events: [...bucketRules.events], filterPrefix: bucketRules.prefix },
  ],
})

/** Walks bucket and table and repairs every difference. */
export const reconciler = new sst.aws.Function('Reconciler', {
  bundle: 'dist/reconcile',
  handler: 'index.handler',
  memory: '1024 MB',
  timeout: '15 minutes',
  environment,
  permissions: [
    ...indexing,
    {
      actions: ['dynamodb:Scan', 'dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem'],
      resources: [files.arn],
    },
  ],
})

new sst.aws.CronV2('Reconcile', {
  schedule: 'rate(1 day)',
  function: reconciler,
  enabled: isPermanent,
  retries: 2,
})
