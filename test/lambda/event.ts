/**
 * A request as a function URL hands it to its function (payload 2.0).
 */
import type { LambdaFunctionURLEvent } from 'aws-lambda'

/** The parts of a request that tests vary. */
export interface UrlRequest {
  readonly method?: string
  /** Path and query. */
  readonly target?: string
  readonly headers?: Record<string, string>
  /** Bytes travel as base64, text as it is. */
  readonly body?: string | Uint8Array
}

/** The event for a request. */
export function urlEvent({
  method = 'POST',
  target = '/rpc',
  headers = {},
  body,
}: UrlRequest): LambdaFunctionURLEvent {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const domainName = 'abcdefghij.lambda-url.us-east-1.on.aws'
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: domainName, 'x-forwarded-proto': 'https', ...headers },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'abcdefghij',
      domainName,
      domainPrefix: 'abcdefghij',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: '00000000-0000-4000-8000-000000000000',
      routeKey: '$default',
      stage: '$default',
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1_767_225_600_000,
    },
    ...(body === undefined
      ? { isBase64Encoded: false }
      : typeof body === 'string'
        ? { body, isBase64Encoded: false }
        : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
  }
}
