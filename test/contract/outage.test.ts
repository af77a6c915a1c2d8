/**
 * Contract 1, the row of storage trouble: 503, `Retry-After`, -32603 without detail, and never a missing file or an
 * empty list. The detail is in the log.
 */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createS3 } from '../../functions/wiring.ts'
import { completeFile } from '../../lib/complete.ts'
import { announceFile } from '../../lib/store.ts'
import type { Answer } from '../harness.ts'
import { answering, type Fault, onlyFor, type ProxiedService, startProxiedService } from '../proxy.ts'

let proxied: ProxiedService
let uri: string
beforeAll(async () => {
  proxied = await startProxiedService({ FIRST_BYTE_TIMEOUT_MS: '2000' })
  uri = `files://${(await proxied.service.put('hello', { tags: ['t'] })).fileId}`
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

function expectOutage(answer: Answer) {
  expect(answer.status).toBe(503)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(answer.text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}')
}

const resets: Fault = (req) => req.socket.destroy()
const dynamoError = (name: string, status = 400) =>
  answering(
    status,
    `{"__type":"com.amazonaws.dynamodb.v20120810#${name}","message":"secret"}`,
    'application/x-amz-json-1.0',
  )
const s3Error = (code: string, status: number) =>
  answering(
    status,
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret</Message></Error>`,
    'application/xml',
  )

test('a connection that storage reset while idle is opened anew within the request (B13)', async () => {
  let resetsLeft = 1
  const once: Fault = (req, _res, pass) => {
    if (resetsLeft === 0) return pass()
    resetsLeft -= 1
    req.socket.destroy()
  }
  for (const at of ['s3', 'dynamo'] as const) {
    resetsLeft = 1
    proxied[at].fault = once
    expect((await proxied.service.read(uri)).body.result.contents[0].text).toBe('hello')
    expect(resetsLeft).toBe(0)
  }
})

const dynamoFaults: [string, Fault][] = [
  ['breaks every connection', resets],
  ['answers 500', dynamoError('InternalServerError', 500)],
  ['throttles', dynamoError('ProvisionedThroughputExceededException')],
  ['has no such table', dynamoError('ResourceNotFoundException')],
  ['denies access', dynamoError('AccessDeniedException')],
  ['knows no credentials', dynamoError('UnrecognizedClientException')],
  ['answers 200 with nothing', answering(200, '', 'application/x-amz-json-1.0')],
  ['answers HTML', answering(200, '<html>hello</html>', 'text/html')],
  ['answers 404 in HTML', answering(404, '<html>not found</html>', 'text/html')],
  ['answers half of its JSON', answering(200, '{"Item":{"pk":{"S":"f', 'application/x-amz-json-1.0')],
]

test.each(dynamoFaults)('a read is 503 when the Files table %s (E12)', async (_, fault) => {
  proxied.dynamo.fault = onlyFor('GetItem', fault)
  const uris = [uri, 'files://fl_0123456789abcdef01234567', 'files://no-id']
  for (const answer of await Promise.all(uris.map((each) => proxied.service.read(each)))) expectOutage(answer)
})

test.each(dynamoFaults)('a list is 503 when the Files table %s (E12)', async (_, fault) => {
  proxied.dynamo.fault = onlyFor('Query', fault)
  const filters = [undefined, { tags: ['t'] }]
  for (const answer of await Promise.all(filters.map((each) => proxied.service.list(each))))
    expectOutage(answer)
})

test.each(dynamoFaults.filter(([name]) => name !== 'throttles'))(
  'read, list and everything else is 503 when the Buckets table %s (F09)',
  async (_, fault) => {
    proxied.dynamo.fault = onlyFor('UpdateItem', fault)
    expectOutage(await proxied.service.read(uri))
    expectOutage(await proxied.service.list())
    expectOutage(await proxied.service.call({ jsonrpc: '2.0', id: 1, method: 'x' }))
  },
)

test('a throttled bucket item is a refusal and no outage', async () => {
  proxied.dynamo.fault = onlyFor('UpdateItem', dynamoError('ProvisionedThroughputExceededException'))
  const answer = await proxied.service.read(uri)
  expect(answer.status).toBe(200)
  expect(answer.body.error).toMatchObject({ code: -32004, message: 'Rate limited' })
  const { retryAfterMs } = answer.body.error.data
  expect(retryAfterMs).toBeGreaterThanOrEqual(1_000)
  expect(retryAfterMs).toBeLessThan(1_500)
})

test('a Buckets table that answers nothing is 503 and not a wait without end (F09)', async () => {
  proxied.dynamo.fault = onlyFor('UpdateItem', () => {})
  expectOutage(await proxied.service.read(uri))
})

test('storage that answers nothing is 503 when the time for the first byte is over', async () => {
  const stalls: Fault = () => {}
  proxied.s3.fault = stalls
  proxied.dynamo.fault = onlyFor('Query', stalls)
  const answers = await Promise.all([proxied.service.read(uri), proxied.service.list()])
  for (const answer of answers) expectOutage(answer)
})

test.each([
  ['without a state', '{"pk":{"S":"x"},"sk":{"S":"file"}}'],
  ['in an unknown state', '{"state":{"S":"new"},"revision":{"N":"1"}}'],
  ['whose revision is text', '{"state":{"S":"ready"},"revision":{"S":"1"}}'],
  ['whose revision is no number', '{"state":{"S":"ready"},"revision":{"N":"x"}}'],
])('an item %s is an outage, not a missing file', async (_, item) => {
  proxied.dynamo.fault = onlyFor('GetItem', answering(200, `{"Item":${item}}`, 'application/x-amz-json-1.0'))
  expectOutage(await proxied.service.read(uri))
})

test('a row that is not as it was written is an outage, not a shorter list', async () => {
  const body = '{"Items":[{"sk":{"S":"x"}}],"Count":1,"ScannedCount":1}'
  proxied.dynamo.fault = onlyFor('Query', answering(200, body, 'application/x-amz-json-1.0'))
  expectOutage(await proxied.service.list())
})

const s3Faults: [string, Fault][] = [
  ['breaks every connection', resets],
  ['answers 500', s3Error('InternalError', 500)],
  ['asks to slow down', s3Error('SlowDown', 503)],
  ['has no such bucket', s3Error('NoSuchBucket', 404)],
  ['denies access', s3Error('AccessDenied', 403)],
  ['has archived the object (B12)', s3Error('InvalidObjectState', 403)],
  ['answers an unknown 404', answering(404, '<html>not found</html>', 'text/html')],
  ['answers an empty 404', answering(404, '', 'text/plain')],
  ['answers 200 with other bytes than there were', answering(200, 'hello you', 'text/plain')],
  ['answers 200 with nothing', answering(200, '', 'text/plain')],
  ['redirects', answering(301, '', 'text/plain')],
]

test.each(s3Faults)('a read is 503 when S3 %s', async (_, fault) => {
  proxied.s3.fault = fault
  expectOutage(await proxied.service.read(uri))
})

test('what cannot be seen is not found also while S3 is down', async () => {
  proxied.s3.fault = resets
  expect((await proxied.service.read(uri, { user: 'bob' })).body.error.code).toBe(-32002)
  expect((await proxied.service.list()).body.result.resources).toHaveLength(1)
})

test('an archived object is 503 (B12)', async () => {
  const { stores, environment } = proxied.service
  const file = await announceFile(stores, { workspaceId: 'acme', ownerId: 'ana', name: 'old.pdf' })
  await createS3(environment).send(
    new PutObjectCommand({
      Bucket: 'files-bucket',
      Key: file.objectKey,
      Body: 'old',
      ContentType: 'application/pdf',
      StorageClass: 'GLACIER',
    }),
  )
  await completeFile(stores, 'acme', file.fileId)
  expectOutage(await proxied.service.read(`files://${file.fileId}`))
})

test('the cause of an outage is in the log and the name of the file is not', async () => {
  proxied.service.logs.length = 0
  proxied.s3.fault = s3Error('AccessDenied', 403)
  await proxied.service.read(uri)
  const text = JSON.stringify(proxied.service.logs)
  expect(proxied.service.logs.map(([level, event]) => [level, event])).toContainEqual([
    'error',
    'internal-error',
  ])
  expect(text).toContain('AccessDenied')
  expect(text).not.toContain('file.txt')
})

// on Lambda nobody tells the function that its client has left, and each instance has its own result of /readyz
const onNode = test.skipIf(process.env.FRONT === 'lambda')

onNode('a client that leaves while storage is asked is no error of ours, and none is logged', async () => {
  const { service } = proxied
  service.logs.length = 0
  const leaving = new AbortController()
  const isAsked = new Promise<void>((resolve) => {
    proxied.dynamo.fault = onlyFor('Query', (_req, res) => {
      res.on('close', () => setTimeout(resolve, 20))
      leaving.abort()
    })
  })
  await expect(
    service.call(
      { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/list' },
      {},
      { signal: leaving.signal },
    ),
  ).rejects.toThrow()
  await isAsked
  expect(service.logs.map(([level, event]) => [level, event])).toEqual([['info', 'decision']])
})

onNode('/readyz names the parts that do not answer, /healthz does not ask them', async () => {
  proxied.dynamo.fault = resets
  const ready = await fetch(`${proxied.service.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'unavailable', failing: ['files table', 'buckets table'] })
  proxied.s3.fault = resets
  const calls = await proxied.callsOf(async () => {
    expect((await fetch(`${proxied.service.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${proxied.service.url}/readyz`)).status).toBe(503)
  })
  expect(calls).toEqual([])
})

test('an outage heals', async () => {
  expect((await proxied.service.read(uri)).body.result.contents[0].text).toBe('hello')
})
