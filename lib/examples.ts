/**
 * Examples for the OpenAPI description: every request that is served, and an answer for every row of the error table.
 * A test sends the requests and holds the service to these answers.
 */
import { listMethod, readMethod } from './rpc.ts'

interface Example {
  readonly summary: string
  readonly value: unknown
}
type Examples = Readonly<Record<string, Example>>

const uri = 'files://fl_0123456789abcdef01234567'

const request = (id: number, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})
const result = (id: number, value: object) => ({ jsonrpc: '2.0', id, result: value })
const error = (id: number | null, code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data && { data }) },
})

const filter = { mimeType: 'application/pdf', tags: ['contracts'] }

/** Requests to `POST /rpc`. */
export const requestExamples: Examples = {
  read: { summary: 'Read a file', value: request(1, readMethod, { uri }) },
  list: { summary: 'List everything the caller sees', value: request(2, listMethod) },
  filter: { summary: 'List by type and tags', value: request(3, listMethod, { _meta: { filter } }) },
}

/** Answers of `POST /rpc` with status 200: results, and the errors of calls. */
export const answerExamples: Examples = {
  text: {
    summary: 'A text',
    value: result(1, { contents: [{ uri, mimeType: 'text/csv', text: 'region,revenue\nnorth,1200\n' }] }),
  },
  blob: {
    summary: 'Anything else, in base64',
    value: result(1, { contents: [{ uri, mimeType: 'application/pdf', blob: 'JVBERi0xLjcK' }] }),
  },
  list: {
    summary: 'A list, oldest first',
    value: result(2, { resources: [{ uri, name: 'msa-2026.pdf', mimeType: 'application/pdf', size: 9 }] }),
  },
  'not-found': {
    summary: 'No such file, or not visible to this caller',
    value: error(1, -32002, 'Resource not found', { uri }),
  },
  'rate-limited': {
    summary: 'The token bucket is empty',
    value: error(1, -32004, 'Rate limited', { retryAfterMs: 10 }),
  },
  'too-large': {
    summary: 'Larger than the limit',
    value: error(1, -32005, 'Response too large', { uri, size: 10_485_761, maxSize: 10_485_760 }),
  },
  'unknown-method': { summary: 'Another method', value: error(1, -32601, 'Method not found') },
  scheme: {
    summary: 'Another scheme',
    value: error(1, -32602, 'Invalid params: only files:// URIs can be read', {
      uri: 'https://example.com/x',
      supported: ['files'],
    }),
  },
  cursor: {
    summary: 'A list with a cursor',
    value: error(2, -32602, 'Invalid params: cursor is not supported, the whole list comes in one response', {
      cursor: 'abc',
    }),
  },
  'unknown-filter': {
    summary: 'A filter that is not known',
    value: error(3, -32602, 'Invalid params: the filter has members that are not supported', {
      unknown: ['owner'],
      supported: ['scheme', 'mimeType', 'tags'],
    }),
  },
  'filter-scheme': {
    summary: 'A filter for another scheme',
    value: error(3, -32602, 'Invalid params: only the scheme "files" can be listed', {
      scheme: 'https',
      supported: ['files'],
    }),
  },
  'filter-type': {
    summary: 'A filter of the wrong type',
    value: error(3, -32602, 'Invalid params: params._meta.filter.tags has the wrong type', {
      receivedType: 'string',
    }),
  },
}

/** Answers of `POST /rpc` with other statuses. */
export const failureExamples: Readonly<Record<string, Examples>> = {
  400: {
    'parse-error': { summary: 'No JSON', value: error(null, -32700, 'Parse error') },
    batch: {
      summary: 'A batch',
      value: error(null, -32600, 'Invalid Request: send one message, not a batch'),
    },
    'invalid-request': {
      summary: 'No JSON-RPC 2.0 request',
      value: error(1, -32600, 'Invalid Request: send one JSON-RPC 2.0 request'),
    },
    'read-limit': {
      summary: 'A malformed Max-Read-Bytes',
      value: error(1, -32600, 'Invalid Request: Max-Read-Bytes must be a whole number of bytes'),
    },
  },
  401: { unauthorized: { summary: 'No token, or none that counts', value: { error: 'invalid_token' } } },
  413: {
    'body-too-large': {
      summary: 'More than 64 KiB',
      value: error(null, -32600, 'Request body too large: at most 65536 bytes'),
    },
  },
  415: {
    'not-json': {
      summary: 'Another content type',
      value: error(null, -32600, 'Content-Type must be application/json'),
    },
  },
  500: { internal: { summary: 'A bug', value: error(1, -32603, 'Internal error') } },
  503: { unavailable: { summary: 'Storage does not answer', value: error(1, -32603, 'Internal error') } },
}
