/**
 * Events in S3's own wire shape, as they lie in the queue: which keys they name.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keysOf } from '../lib/events.ts'

const place = 'files/acme/ana/fl_0123456789abcdef01234567'

test.each([
  ['put', [`${place}/q1 report%202.csv`]],
  ['post', [`${place}/form.pdf`]],
  ['copy', [`${place}/copy.pdf`]],
  ['multipart', [`${place}/big.bin`]],
  ['delete', [`${place}/gone.txt`]],
  ['marker', [`${place}/hidden.txt`]],
  ['lifecycle-delete', [`${place}/old.txt`]],
  ['lifecycle-marker', [`${place}/expired.txt`]],
  ['tagging', []],
  ['test', []],
])('the recorded event "%s" names its key (G04, G09)', (name, keys) => {
  expect(keysOf(readFileSync(`test/events/${name}.json`, 'utf8'))).toEqual(keys)
})

const body = (...keys: string[]) =>
  JSON.stringify({
    Records: keys.map((key) => ({ eventName: 'ObjectCreated:Put', s3: { object: { key } } })),
  })

test.each([
  ['a+b', 'a b'],
  ['a%2Bb', 'a+b'],
  ['a%252Bb', 'a%2Bb'],
  ['100%25', '100%'],
  ['%E6%9D%B1%E4%BA%AC/%F0%9F%98%80', '東京/😀'],
  ['a%2Fb//../.', 'a/b//../.'],
  ["!'()*~", "!'()*~"],
])('the key %j is decoded exactly once (G09)', (encoded, key) => {
  expect(keysOf(body(encoded))).toEqual([key])
})

test('a message may name several objects, and none', () => {
  expect(keysOf(body('a', 'b', 'a'))).toEqual(['a', 'b', 'a'])
  expect(keysOf('{"Records":[]}')).toEqual([])
})

test('an event with the prefix of its subscription is known as well', () => {
  expect(keysOf('{"Records":[{"eventName":"s3:ObjectRemoved:Delete","s3":{"object":{"key":"a"}}}]}')).toEqual(
    ['a'],
  )
})

test('an event of another kind is ignored, whatever it holds', () => {
  expect(keysOf('{"Records":[{"eventName":"Replication:OperationMissedThreshold","other":{}}]}')).toEqual([])
  expect(keysOf('{"Records":[{"eventName":"ObjectAcl:Put","s3":{"object":{"key":"%"}}}]}')).toEqual([])
})

test.each([
  '',
  'x',
  'null',
  '[]',
  '{}',
  '{"Records":null}',
  '{"Records":[{}]}',
  '{"Records":[{"eventName":"ObjectCreated:Put"}]}',
  '{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{}}}]}',
  '{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":""}}}]}',
  '{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":"100%"}}}]}',
  '{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":"%FF"}}}]}',
])('%j is no notification', (text) => {
  expect(() => keysOf(text)).toThrow()
})

test('what is wrong with a message is said without a word of it, since it may hold the name of a file', () => {
  for (const text of ['{"key":secret.txt}', 'secret.txt', `${body('secret.txt')}secret.txt`]) {
    expect(() => keysOf(text)).toThrow(/^The message is no JSON$/)
  }
})
