/**
 * A cloud that runs elsewhere on this machine, LocalStack for one, in place of the one in this process: S3's events come
 * from its queue `index`, which infra/localstack makes.
 */
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Cloud } from './cloud.ts'

/** Connects to the endpoint; each message of its queue goes to `onMessage`. Throws when the queue is not there. */
export async function connectCloud(endpoint: string, onMessage: (body: string) => void): Promise<Cloud> {
  const environment = {
    AWS_REGION: process.env.AWS_REGION ?? 'us-east-1',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local-secret',
    AWS_ENDPOINT_URL: endpoint,
  }
  const sqs = new SQSClient({
    endpoint,
    region: environment.AWS_REGION,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    },
  })
  const queue = await queueUrl(sqs, endpoint)
  const closing = new AbortController()
  const polling = poll(sqs, queue, onMessage, closing.signal)
  return {
    environment,
    async close() {
      closing.abort()
      await polling
      sqs.destroy()
    },
  }
}

async function queueUrl(sqs: SQSClient, endpoint: string): Promise<string | undefined> {
  try {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'index' }))
    return QueueUrl
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist))
      throw new Error(
        `Nothing answers at ${endpoint}, which AWS_ENDPOINT_URL names: correct it, or unset it.`,
        {
          cause: error,
        },
      )
    throw new Error(
      `${endpoint} has no queue "index": run infra/localstack/ready.d/10-resources.sh against it first`,
    )
  }
}

/** Takes messages until the signal aborts. One that is taken is the process's own: it delivers it again by itself. */
async function poll(
  sqs: SQSClient,
  QueueUrl: string | undefined,
  onMessage: (body: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5, MaxNumberOfMessages: 10 })
  while (!signal.aborted) {
    const answer = await sqs.send(receive, { abortSignal: signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    })
    for (const { Body = '', ReceiptHandle } of answer?.Messages ?? []) {
      onMessage(Body)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
}
