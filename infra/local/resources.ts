/**
 * Creates the bucket and the tables at whatever endpoint the SDK's standard variables name. What exists is left alone.
 */
import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import {
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  PutBucketCorsCommand,
  PutBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { uploadCors } from '../cors.ts'
import { bucketsTable, filesTable, type TableDefinition } from '../definitions.ts'

/** The names that the service is configured with. */
export interface ResourceNames {
  readonly bucket: string
  readonly filesTable: string
  readonly bucketsTable: string
  /** Origins whose pages may upload; none if absent. */
  readonly uploadOrigins?: readonly string[]
}

/** Creates what is missing of bucket and tables. */
export async function createResources(
  s3: S3Client,
  dynamo: DynamoDBClient,
  names: ResourceNames,
): Promise<void> {
  await createBucket(s3, names.bucket)
  await setCors(s3, names.bucket, names.uploadOrigins ?? [])
  await createTable(dynamo, names.filesTable, filesTable)
  await createTable(dynamo, names.bucketsTable, bucketsTable)
}

async function createBucket(s3: S3Client, bucket: string): Promise<void> {
  try {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'BucketAlreadyOwnedByYou')) throw error
  }
  await s3.send(
    new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  )
}

async function setCors(s3: S3Client, bucket: string, origins: readonly string[]): Promise<void> {
  const CORSRules = uploadCors(origins)
  if (CORSRules.length === 0) await s3.send(new DeleteBucketCorsCommand({ Bucket: bucket }))
  else await s3.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules } }))
}

async function createTable(
  dynamo: DynamoDBClient,
  table: string,
  definition: TableDefinition,
): Promise<void> {
  const keys = [definition.hashKey, definition.rangeKey].filter((name) => name !== undefined)
  try {
    await dynamo.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
        KeySchema: keys.map((name, i) => ({ AttributeName: name, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
      }),
    )
  } catch (error) {
    if (error instanceof ResourceInUseException) return
    throw error
  }
  await waitUntilTableExists(
    { client: dynamo, minDelay: 1, maxDelay: 2, maxWaitTime: 60 },
    { TableName: table },
  )
  const TimeToLiveSpecification = { AttributeName: definition.ttl, Enabled: true }
  await dynamo.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }))
}
