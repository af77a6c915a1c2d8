/**
 * Answers as storage sent them: a body that trickles in, or one of DynamoDB's that is empty, cut or changed on its way, is
 * a failure, retried like a lost connection. To the SDK an empty body is an answer without items, and an outage would
 * look like a missing file; and it waits for ever for a body of which a byte comes now and then.
 */
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { S3Client } from '@aws-sdk/client-s3'

/** An answer as the SDK's HTTP handler gives it. */
interface HttpAnswer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  body: unknown
}

/** The longest that a body may take to come; the largest is a megabyte. */
const maxBodyMs = 10_000

/** The client, which now checks the body of every answer, and the checksum where one was sent. */
export function checkingAnswers(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      const output = await next(args)
      const answer = output.response
      if (isHttpAnswer(answer) && answer.body instanceof Readable) {
        const body = await readBody(answer.body)
        checkBody(body, answer)
        answer.body = body
      }
      return output
    },
    { step: 'deserialize', priority: 'low', name: 'checkAnswer' },
  )
  return client
}

/** The client, every answer of which now comes in time; the bytes of an object are for their reader to bound. */
export function boundingAnswers(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const output = await next(args)
        const answer = output.response
        if (!isHttpAnswer(answer) || !(answer.body instanceof Readable)) return output
        const isObject = commandName === 'GetObjectCommand' && answer.statusCode < 300
        if (!isObject) answer.body = await readBody(answer.body)
        return output
      },
    { step: 'deserialize', priority: 'low', name: 'boundAnswer' },
  )
  return client
}

async function readBody(body: Readable): Promise<Uint8Array> {
  const timer = setTimeout(
    () => body.destroy(damaged('Storage answered with a body that takes too long')),
    maxBodyMs,
  )
  try {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    clearTimeout(timer)
  }
}

function checkBody(body: Uint8Array, { statusCode, headers }: HttpAnswer): void {
  if (statusCode < 300 && body.length === 0) throw damaged('DynamoDB answered with no body')
  const declared = headers['x-amz-crc32']
  if (declared !== undefined && crc32(body) !== Number(declared))
    throw damaged('DynamoDB answered with a body of another checksum')
}

/** The SDK repeats what says that it is retryable. */
function damaged(message: string): Error {
  return Object.assign(new Error(message), { $retryable: {} })
}

function isHttpAnswer(answer: unknown): answer is HttpAnswer {
  return typeof answer === 'object' && answer !== null && 'body' in answer && 'headers' in answer
}
