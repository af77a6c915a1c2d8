/**
 * What the cloud consists of, as plain data: the deployed stacks, the local cloud and LocalStack's init script are all
 * made from this, so that they cannot disagree.
 */

/** A DynamoDB table: keys are strings; `ttl` is the attribute (epoch seconds) after which an item may go. */
export interface TableDefinition {
  readonly hashKey: string
  readonly rangeKey: string | undefined
  readonly ttl: string
}

/** File items and their index rows. */
export const filesTable = {
  hashKey: 'pk',
  rangeKey: 'sk',
  ttl: 'expiresAtSec',
} as const satisfies TableDefinition

/** Token buckets; a table of its own, so that rights can be given by table. */
export const bucketsTable = {
  hashKey: 'pk',
  rangeKey: undefined,
  ttl: 'expiresAtSec',
} as const satisfies TableDefinition

/** The bucket of files: what lies under `prefix` is indexed; old versions and unfinished uploads go after some days. */
export const filesBucket = {
  prefix: 'files/',
  noncurrentDays: 30,
  unfinishedUploadDays: 7,
  events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:LifecycleExpiration:*'],
} as const

/** The queue of S3's events. An event that fails `maxReceives` times is kept apart, for as long as a queue can. */
export const indexQueue = {
  /** How long one batch may take: the timeout of the indexer. */
  timeoutSec: 60,
  /** AWS asks for six times the timeout. */
  visibilitySec: 360,
  maxReceives: 5,
  keepSec: 1_209_600,
  batchSize: 10,
  maxConcurrency: 10,
} as const
