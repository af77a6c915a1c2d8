/**
 * Examines bucket and tables: whether they are there, are made as the service needs them, and may be used. Nothing is
 * written: rights to write are told by conditional writes whose condition cannot hold.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  GetBucketVersioningCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { TableDefinition } from '../definitions.ts'
import { examine, type Finding, ill, well } from './finding.ts'

const nothing = 'files/doctor/doctor/fl_000000000000000000000000'

/** The bucket: there, versioned, readable and writable. */
export function examineBucket(s3: S3Client, bucket: string): Promise<Finding[]> {
  const variable = 'FILES_BUCKET'
  const check = `bucket ${bucket}`
  return Promise.all([
    examine({ check, action: 's3:GetBucketVersioning', variable }, async () => {
      const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket: bucket }))
      if (Status === 'Enabled') return well(check, 'versioned')
      return ill(
        check,
        'it keeps no versions',
        'Turn versioning on: an overwrite during a read is safe only then.',
      )
    }),
    examine({ check: `${check}, list`, action: 's3:ListBucket', variable }, async () => {
      await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'files/', MaxKeys: 1 }))
      return well(`${check}, list`, 'allowed')
    }),
    examine({ check: `${check}, read`, action: 's3:GetObject', variable }, async () => {
      await refused(s3.send(new GetObjectCommand({ Bucket: bucket, Key: nothing })), [
        'NoSuchKey',
        'NotFound',
      ])
      return well(`${check}, read`, 'allowed')
    }),
    examine({ check: `${check}, write`, action: 's3:PutObject', variable }, async () => {
      const impossible = { Bucket: bucket, Key: nothing, Body: '', ContentLength: 0, IfMatch: '"doctor"' }
      await refused(s3.send(new PutObjectCommand(impossible)), [
        'NoSuchKey',
        'NotFound',
        'PreconditionFailed',
      ])
      return well(`${check}, write`, 'allowed')
    }),
  ])
}

/** A table: active, with its keys and its TTL, readable and writable. */
export function examineTable(
  dynamo: DynamoDBClient,
  table: string,
  variable: string,
  definition: TableDefinition,
): Promise<Finding[]> {
  const check = `table ${table}`
  const key = {
    [definition.hashKey]: { S: 'doctor' },
    ...(definition.rangeKey && { [definition.rangeKey]: { S: 'doctor' } }),
  }
  return Promise.all([
    examine({ check, action: 'dynamodb:DescribeTable', variable }, async () => {
      const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: table }))
      const names = (Table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName)
      const wanted = [definition.hashKey, definition.rangeKey].filter((name) => name !== undefined)
      if (names.join() !== wanted.join()) {
        return ill(
          check,
          `its keys are ${names.join(', ')}`,
          `Make it anew with the keys ${wanted.join(', ')}, or correct ${variable}.`,
        )
      }
      const { TimeToLiveDescription: ttl } = await dynamo.send(
        new DescribeTimeToLiveCommand({ TableName: table }),
      )
      if (ttl?.AttributeName === definition.ttl)
        return well(check, `${Table?.TableStatus?.toLowerCase()}, TTL on`)
      return ill(
        check,
        'its TTL is off',
        `Turn TTL on, with the attribute ${definition.ttl}: else nothing is ever tidied up.`,
      )
    }),
    examine({ check: `${check}, read`, action: 'dynamodb:GetItem', variable }, async () => {
      await dynamo.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }))
      return well(`${check}, read`, 'allowed')
    }),
    examine({ check: `${check}, write`, action: 'dynamodb:DeleteItem', variable }, async () => {
      const ConditionExpression = 'attribute_exists(#pk) AND attribute_not_exists(#pk)'
      const impossible = {
        TableName: table,
        Key: key,
        ConditionExpression,
        ExpressionAttributeNames: { '#pk': definition.hashKey },
      }
      await refused(dynamo.send(new DeleteItemCommand(impossible)), [ConditionalCheckFailedException.name])
      return well(`${check}, write`, 'allowed')
    }),
  ])
}

/** Waits for a refusal that means: you might, but there is nothing. Every other failure is thrown. */
async function refused(call: Promise<unknown>, names: readonly string[]): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof Error && names.includes(error.name))) throw error
  }
}
