/**
 * The envelope and the error table, row by row.
 */
import { expect, test } from 'vitest'
import { type ErrorCode, ResolverError, unavailable } from '../lib/errors.ts'
import { EnvelopeError, parseMessage, wireError } from '../lib/rpc.ts'

const parse = (text: string) => parseMessage(Buffer.from(text))

test('a message keeps its id, method and params, and nothing else', () => {
  expect(parse('{"jsonrpc":"2.0","id":"a","method":"m","params":[1],"x":1}')).toEqual({
    jsonrpc: '2.0',
    id: 'a',
    method: 'm',
    params: [1],
  })
  expect(parse('{"jsonrpc":"2.0","method":"m"}')).toEqual({ jsonrpc: '2.0', method: 'm' })
})

test('a malformed message says what could be read of its id', () => {
  for (const [text, code, id] of [
    ['{', 'parse-error', null],
    ['[]', 'invalid-request', null],
    ['{"id":1}', 'invalid-request', 1],
    ['{"id":"1"}', 'invalid-request', '1'],
    ['{"id":[1]}', 'invalid-request', null],
  ] as const) {
    try {
      parse(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(EnvelopeError)
      expect(error).toMatchObject({ code, id })
    }
  }
})

test.each<[ErrorCode, number, number, string]>([
  ['parse-error', 400, -32700, 'Parse error'],
  ['invalid-request', 400, -32600, 'Invalid Request'],
  ['body-too-large', 413, -32600, 'Request body too large'],
  ['not-json', 415, -32600, 'Content-Type must be application/json'],
  ['unknown-method', 200, -32601, 'Method not found'],
  ['invalid-params', 200, -32602, 'Invalid params'],
  ['not-found', 200, -32002, 'Resource not found'],
  ['rate-limited', 200, -32004, 'Rate limited'],
  ['too-large', 200, -32005, 'Response too large'],
  ['unavailable', 503, -32603, 'Internal error'],
  ['internal', 500, -32603, 'Internal error'],
])('%s is %d and %d on the wire', (code, status, rpc, message) => {
  expect(wireError(new ResolverError(code))).toEqual({ status, error: { code: rpc, message } })
})

test.each<ErrorCode>(['unauthenticated', 'limit', 'exists', 'conflict'])(
  '%s, which has no form on the wire, is an internal error',
  (code) => {
    expect(wireError(new ResolverError(code, { detail: 'secret', data: { secret: 1 } }))).toEqual({
      status: 500,
      error: { code: -32603, message: 'Internal error' },
    })
  },
)

test('internal errors show no detail, data or cause', () => {
  const hidden = [
    new Error('secret'),
    'secret',
    undefined,
    unavailable('secret', new Error('secret')),
    new ResolverError('unavailable', { detail: 'secret', data: { secret: 1 } }),
  ]
  for (const error of hidden) expect(JSON.stringify(wireError(error))).not.toContain('secret')
})

test('data and detail of a known error are shown', () => {
  const error = new ResolverError('not-found', {
    data: { uri: 'files://x' },
    detail: 'really',
    cause: 'secret',
  })
  expect(wireError(error)).toEqual({
    status: 200,
    error: { code: -32002, message: 'Resource not found: really', data: { uri: 'files://x' } },
  })
})
