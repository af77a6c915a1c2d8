/**
 * The objects that cannot be files, in the table Files: which key, why, since when (`files quarantine`). One of the
 * places that know the AWS SDK. They share one partition, since a bucket that only hosts write to has few.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { unavailable } from './errors.ts'
import { readText } from './items.ts'

/** An object that was refused; its key is what S3 calls it. */
export interface Refusal {
  readonly key: string
  readonly reason: string
  /** ISO 8601: since when it is refused for this reason. */
  readonly refusedAt: string
}

/** The operations on refusals. */
export interface Refusals {
  /** Notes the refusal; the same key and reason again change nothing. */
  record(refusal: Refusal): Promise<void>
  /** Drops what is noted about the key, if anything. */
  forget(key: string): Promise<void>
  /** One page in the order of their keys, from the one after `after`; `next` is undefined at the end. */
  list(after?: string): Promise<{ readonly refusals: readonly Refusal[]; readonly next: string | undefined }>
}

const pk = { S: 'refused' }

/** The refusals of one table. */
export function createRefusals(client: DynamoDBClient, table: string): Refusals {
  return {
    async record({ key, reason, refusedAt }) {
      const request = new PutItemCommand({
        TableName: table,
        Item: { pk, sk: { S: key }, reason: { S: reason }, refusedAt: { S: refusedAt } },
        ConditionExpression: 'attribute_not_exists(#pk) OR #reason <> :reason',
        ExpressionAttributeNames: { '#pk': 'pk', '#reason': 'reason' },
        ExpressionAttributeValues: { ':reason': { S: reason } },
      })
      try {
        await client.send(request)
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw unavailable('PutItem failed', error)
      }
    },

    async forget(key) {
      try {
        await client.send(new DeleteItemCommand({ TableName: table, Key: { pk, sk: { S: key } } }))
      } catch (error) {
        throw unavailable('DeleteItem failed', error)
      }
    },

    async list(after) {
      const request = new QueryCommand({
        TableName: table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': 'pk' },
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
        ...(after === undefined ? {} : { ExclusiveStartKey: { pk, sk: { S: after } } }),
      })
      const answer = await client.send(request).catch((error: unknown) => {
        throw unavailable('Query failed', error)
      })
      const refusals = (answer.Items ?? []).map((item) => ({
        key: readText(item, 'sk'),
        reason: readText(item, 'reason'),
        refusedAt: readText(item, 'refusedAt'),
      }))
      return { refusals, next: answer.LastEvaluatedKey?.sk?.S }
    },
  }
}
