/**
 * What this project relies on in DynamoDB, asked of the endpoint that `LIVE_ENDPOINT` names.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoChecks } from '../infra/dynamodb-checks.ts'
import { endpoint, known } from './target.ts'

function connect(): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
}

dynamoChecks(
  `DynamoDB at ${endpoint}`,
  async () => {
    const [client, second] = [connect(), connect()]
    return {
      client,
      second,
      async close() {
        client.destroy()
        second.destroy()
      },
    }
  },
  { skip: known.dynamodb },
)
