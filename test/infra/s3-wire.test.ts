/**
 * What the SDK never sends but others may: raw requests, broken framing, preflights, and a clock that moves.
 */
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, PutBucketCorsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterEach, expect, it } from 'vitest'
import { startS3 } from '../../infra/local/s3/server.ts'
import { clientOf, startTarget } from './s3-start.ts'
import { expectRefusal, textOf } from './s3-target.ts'

let close = async () => {}
afterEach(async () => {
  await close()
  close = async () => {}
})

async function open(options: Parameters<typeof startTarget>[0] = {}) {
  const target = await startTarget(options)
  close = target.close
  return target
}

/** Sends a request as it is written and answers with status and body. */
async function send(url: string, method: string, headers: Record<string, string>, body = '') {
  const message = request(url, { method, headers: { authorization: 'none', ...headers } })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    message.on('response', resolve).on('error', reject)
  })
  message.end(body)
  const response = await answered
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const chunkedHeaders = (bytes: number) => ({
  'content-encoding': 'aws-chunked',
  'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'x-amz-decoded-content-length': String(bytes),
  'x-amz-trailer': 'x-amz-checksum-crc32',
})

const trailer = 'x-amz-checksum-crc32:NhCmhg==\r\n\r\n'
const framings: [string, string, number, string][] = [
  ['right chunks and a right trailer', `2\r\nhe\r\n3\r\nllo\r\n0\r\n${trailer}`, 200, ''],
  ['a chunk extension', `5;x=y\r\nhello\r\n0\r\n${trailer}`, 200, ''],
  ['a wrong trailer', '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n', 400, 'BadDigest'],
  ['no trailer', '5\r\nhello\r\n0\r\n\r\n', 400, 'InvalidArgument'],
  ['no last chunk', '5\r\nhello\r\n', 400, 'IncompleteBody'],
  ['a chunk cut off', '5\r\nhel', 400, 'IncompleteBody'],
  ['a size that is no number', `zz\r\nhello\r\n0\r\n${trailer}`, 400, 'IncompleteBody'],
  ['a chunk longer than its size', `4\r\nhello\r\n0\r\n${trailer}`, 400, 'IncompleteBody'],
  [
    'fewer bytes than announced',
    '4\r\nhell\r\n0\r\nx-amz-checksum-crc32:xWIHJA==\r\n\r\n',
    400,
    'IncompleteBody',
  ],
]
for (const [name, body, status, code] of framings) {
  it(`aws-chunked with ${name} is ${status} ${code}`, async () => {
    const { client, endpoint } = await open({ trusting: true })
    const answer = await send(`${endpoint}/bucket/k`, 'PUT', chunkedHeaders(5), body)
    expect([answer.status, /<Code>(.*)<\/Code>/.exec(answer.body)?.[1] ?? '']).toEqual([status, code])
    const read = client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }))
    if (status === 200) expect(await textOf(await read)).toBe('hello')
    else await expectRefusal(read, 404, 'NoSuchKey')
  })
}

it('a refusal amid a large body reaches the client, and not a reset', async () => {
  const { endpoint } = await open({ trusting: true })
  const answer = await send(
    `${endpoint}/bucket/k`,
    'PUT',
    chunkedHeaders(5),
    `zz\r\n${'x'.repeat(20_000_000)}`,
  )
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('IncompleteBody')])
})

it('a body of unknown length is MissingContentLength, as in S3', async () => {
  const { endpoint } = await open({ trusting: true })
  const answer = await send(`${endpoint}/bucket/k`, 'PUT', { 'transfer-encoding': 'chunked' }, 'hello')
  expect([answer.status, answer.body]).toEqual([411, expect.stringContaining('MissingContentLength')])
})

it('chunks that carry signatures are refused rather than believed', async () => {
  const { endpoint } = await open({ trusting: true })
  const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }
  expect((await send(`${endpoint}/bucket/k`, 'PUT', headers, 'hello')).status).toBe(501)
})

it('an unknown subresource never reaches the object', async () => {
  const { client, endpoint } = await open({ trusting: true })
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: 'hello' }))
  for (const name of ['acl', 'tagging', 'retention', 'legal-hold', 'anything', 'uploadId=x']) {
    expect((await send(`${endpoint}/bucket/k?${name}`, 'PUT', {}, 'overwritten')).status).toBe(501)
  }
  for (const name of ['policy', 'lifecycle', 'anything']) {
    expect((await send(`${endpoint}/bucket?${name}`, 'DELETE', {})).status).toBe(501)
  }
  expect(await textOf(await client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' })))).toBe('hello')
})

it('a path that is no URI is InvalidURI', async () => {
  const { endpoint } = await open({ trusting: true })
  const answer = await send(`${endpoint}/bucket/%FF`, 'GET', {})
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('InvalidURI')])
})

it('a bucket that exists is BucketAlreadyOwnedByYou outside us-east-1', async () => {
  const { endpoint } = await open({ region: 'eu-west-1', trusting: true })
  const answer = await send(`${endpoint}/bucket`, 'PUT', {})
  expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('BucketAlreadyOwnedByYou')])
})

it('a preflight is granted by the rule that matches and by no other', async () => {
  const { client, endpoint } = await open()
  const rule = {
    AllowedOrigins: ['https://*.example'],
    AllowedMethods: ['PUT'],
    AllowedHeaders: ['content-type', 'x-amz-meta-*'],
    ExposeHeaders: ['etag'],
    MaxAgeSeconds: 60,
  }
  await client.send(new PutBucketCorsCommand({ Bucket: 'bucket', CORSConfiguration: { CORSRules: [rule] } }))
  const ask = (origin: string, method: string, headers: string) =>
    send(`${endpoint}/bucket/k?X-Amz-Signature=x`, 'OPTIONS', {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    })
  const granted = await ask('https://a.example', 'PUT', 'Content-Type, x-amz-meta-by')
  expect(granted.status).toBe(200)
  expect(granted.headers).toMatchObject({
    'access-control-allow-origin': 'https://a.example',
    'access-control-allow-methods': 'PUT',
    'access-control-allow-headers': 'content-type, x-amz-meta-by',
    'access-control-expose-headers': 'etag',
    'access-control-max-age': '60',
  })
  expect((await ask('https://a.example', 'DELETE', '')).status).toBe(403)
  expect((await ask('https://a.example', 'PUT', 'x-other')).status).toBe(403)
  expect((await ask('http://a.example', 'PUT', '')).status).toBe(403)
})

it('an answer to a browser carries the grant, a refusal too', async () => {
  const { client, endpoint } = await open()
  const CORSConfiguration = { CORSRules: [{ AllowedOrigins: ['*'], AllowedMethods: ['GET'] }] }
  await client.send(new PutBucketCorsCommand({ Bucket: 'bucket', CORSConfiguration }))
  const answer = await send(`${endpoint}/bucket/k`, 'GET', { origin: 'https://a.example' })
  expect(answer.status).toBe(400)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  const other = await send(`${endpoint}/bucket/k`, 'PUT', { origin: 'https://a.example' })
  expect(other.headers['access-control-allow-origin']).toBeUndefined()
})

it('a presigned URL expires by the emulator’s own clock', async () => {
  let skewMs = 0
  const { client } = await open({ now: () => Date.now() + skewMs })
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: 'hello' }))
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }), {
    expiresIn: 60,
  })
  skewMs = 55_000
  expect((await fetch(url)).status).toBe(200)
  skewMs = 62_000
  expect((await fetch(url)).status).toBe(403)
  skewMs = -3_600_000
  expect((await fetch(url)).status).toBe(403)
})

it('a signed request whose clock is far off is RequestTimeTooSkewed', async () => {
  const emulator = await startS3({
    credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local-secret' },
    now: () => Date.now() + 16 * 60_000,
  })
  close = () => emulator.close()
  const late = clientOf(emulator.endpoint).send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }))
  await expectRefusal(late, 403, 'RequestTimeTooSkewed')
})

it('a URL presigned with the SDK’s default checksum takes the empty body only', async () => {
  const { client } = await open()
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: 'bucket', Key: 'k' }), {
    expiresIn: 60,
  })
  const answer = await fetch(url, { method: 'PUT', body: 'hello' })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('BadDigest')])
})
