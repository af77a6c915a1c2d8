/**
 * What a function streamed, taken apart as a function URL takes it apart: prelude, eight zero bytes, body, trailers.
 */
import type { IncomingMessage } from 'node:http'
import type { Posted } from './runtime.ts'

/** The status, headers and cookies that a function writes before the body. */
export interface Prelude {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly cookies: readonly string[]
}

/** An answer in whole; `error` is what the runtime reports after a body that broke off. */
export interface StreamedAnswer extends Prelude {
  readonly contentType: string | undefined
  readonly mode: string | string[] | undefined
  readonly body: Buffer
  readonly error: { readonly errorType: string; readonly errorMessage: string } | undefined
}

const integration = 'application/vnd.awslambda.http-integration-response'
const delimiter = Buffer.alloc(8)

/** The prelude, and the body as it comes. Throws when the function sent no prelude. */
export async function opened(
  request: IncomingMessage,
): Promise<{ prelude: Prelude; body: AsyncIterable<Buffer> }> {
  if (request.headers['content-type'] !== integration) throw new Error('The answer has no prelude')
  const chunks: AsyncIterator<Buffer> = request[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (!head.includes(delimiter)) {
    const { done, value } = await chunks.next()
    if (done) throw new Error('The answer ended inside its prelude')
    head = Buffer.concat([head, value])
  }
  const end = head.indexOf(delimiter)
  async function* body(): AsyncGenerator<Buffer> {
    yield head.subarray(end + delimiter.length)
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  return { prelude: JSON.parse(head.subarray(0, end).toString('utf8')), body: body() }
}

/** The error that the runtime reported in the trailers, if any; there after the body has ended. */
export function trailingError(request: IncomingMessage): StreamedAnswer['error'] {
  const encoded = request.trailers['lambda-runtime-function-error-body']
  return encoded === undefined ? undefined : JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))
}

/** All of a streamed answer. */
export async function whole({ request }: Posted): Promise<StreamedAnswer> {
  const { prelude, body } = await opened(request)
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return {
    ...prelude,
    contentType: request.headers['content-type'],
    mode: request.headers['lambda-runtime-function-response-mode'],
    body: Buffer.concat(chunks),
    error: trailingError(request),
  }
}
