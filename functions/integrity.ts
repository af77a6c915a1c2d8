/**
 * DynamoDB's answers as it sent them: a body that is empty, cut or changed on its way is a failure, retried like a lost
 * connection. To the SDK an empty body is an answer without items, and an outage would look like a missing file.
 */
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

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

async function readBody(body: Readable): Promise<Uint8Array> {
  const timer = setTimeout(() => body.destroy(damaged('a body that takes too long')), maxBodyMs)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    clearTimeout(timer)
  }
}

function checkBody(body: Uint8Array, { statusCode, headers }: HttpAnswer): void {
  if (statusCode < 300 && body.length === 0) throw damaged('no body')
  const declared = headers['x-amz-crc32']
  if (declared !== undefined && crc32(body) !== Number(declared)) throw damaged('a body of another checksum')
}

/** The SDK repeats what says that it is retryable. */
function damaged(what: string): Error {
  return Object.assign(new Error(`DynamoDB answered with ${what}`), { $retryable: {} })
}

function isHttpAnswer(answer: unknown): answer is HttpAnswer {
  return typeof answer === 'object' && answer !== null && 'body' in answer && 'headers' in answer
}
