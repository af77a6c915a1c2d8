/**
 * What the service counts: a line for each call in CloudWatch's embedded metric format, by method and outcome only.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMeter } from '../lib/metrics.ts'
import { type Service, startService } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ METRICS_NAMESPACE: 'file-resolver/test' })
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})

/** The fields of the calls' lines. */
const calls = () => service.logs.flatMap(([, event, fields]) => (event === 'call' ? [fields] : []))

test('a call leaves one line, with its metrics described as CloudWatch reads them', async () => {
  const { fileId } = await service.put('hello', { name: 'a.txt' })
  const { text } = await service.read(`files://${fileId}`)
  expect(calls()).toEqual([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'file-resolver/test',
            Dimensions: [['Method', 'Outcome']],
            Metrics: [{ Name: 'Requests', Unit: 'Count' }],
          },
          {
            Namespace: 'file-resolver/test',
            Dimensions: [['Method']],
            Metrics: [
              { Name: 'Bytes', Unit: 'Bytes' },
              { Name: 'StorageLatency', Unit: 'Milliseconds' },
              { Name: 'Throttled', Unit: 'Count' },
            ],
          },
        ],
      },
      Method: 'read',
      Outcome: 'ok',
      Requests: 1,
      Bytes: text.length,
      StorageLatency: expect.any(Number),
      Throttled: 0,
    },
  ])
})

test.each([
  ['a list', '{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list"}', 'list', 'ok'],
  [
    'a read of what is not there',
    '{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"files://x"}}',
    'read',
    'not-found',
  ],
  [
    'a read without a uri',
    '{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read"}',
    'read',
    'invalid-params',
  ],
  ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"x"}', 'other', 'unknown-method'],
  ['a notification', '{"jsonrpc":"2.0","method":"x"}', 'other', 'notification'],
  ['no JSON', 'x', 'other', 'parse-error'],
])('%s is counted by its method and its outcome', async (_, frame, method, outcome) => {
  await service.call(frame)
  expect(calls()).toEqual([expect.objectContaining({ Method: method, Outcome: outcome, Requests: 1 })])
})

test('a call without a credential is counted, and storage was not asked', async () => {
  await service.call('{}', {}, { headers: { authorization: '' } })
  expect(calls()).toEqual([expect.objectContaining({ Method: 'other', Outcome: 'unauthenticated' })])
  expect(calls()[0]).not.toHaveProperty('StorageLatency')
})

test('a refused call is counted as throttled', async () => {
  const tight = await startService({
    METRICS_NAMESPACE: 'x',
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '1',
  })
  while ((await tight.list()).body.error === undefined);
  expect(tight.logs.at(-1)?.[2]).toMatchObject({ Method: 'list', Outcome: 'rate-limited', Throttled: 1 })
  await tight.close()
})

test('no line tells who called, or for which file', async () => {
  const { fileId } = await service.put('hello', { name: 'a.txt' })
  await service.read(`files://${fileId}`)
  await service.read(`files://${fileId}`, { user: 'bob' })
  expect(calls().length).toBe(2)
  expect(JSON.stringify(calls())).not.toMatch(/acme|ana|bob|reports|fl_|a\.txt/)
})

test('an answer that ends before its end is broken', async () => {
  const outcomes: unknown[] = []
  const meter = createMeter((_, __, fields) => outcomes.push(fields?.Outcome), 'x')
  async function* chunks() {
    yield 'a'
    throw new Error('storage died')
  }
  const whole = meter.begin().answer(chunks())
  expect(await whole.next()).toEqual({ done: false, value: 'a' })
  await expect(whole.next()).rejects.toThrow('storage died')
  for await (const _ of meter.begin().answer(chunks())) break
  expect(outcomes).toEqual(['broken', 'broken'])
})

test('an impossible token bucket is counted without dimensions', () => {
  const lines: unknown[] = []
  createMeter(
    (...line) => lines.push(line),
    'x',
    () => 7,
  ).impossibleBucket('key')
  const CloudWatchMetrics = [
    { Namespace: 'x', Dimensions: [[]], Metrics: [{ Name: 'ImpossibleBuckets', Unit: 'Count' }] },
  ]
  expect(lines).toEqual([
    [
      'error',
      'impossible-bucket-state',
      { key: 'key', _aws: { Timestamp: 7, CloudWatchMetrics }, ImpossibleBuckets: 1 },
    ],
  ])
})

test('without a namespace calls leave no line', () => {
  createMeter(() => expect.unreachable(), undefined)
    .begin()
    .end('ok')
})
