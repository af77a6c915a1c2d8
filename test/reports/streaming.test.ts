/**
 * Faults met in public while bytes are under way (groups A and B of the collection): what is cut, stalled, changed or
 * mislabelled on its way from S3 to the reader.
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createS3 } from '../../functions/wiring.ts'
import { completeFile } from '../../lib/complete.ts'
import { announceFile } from '../../lib/store.ts'
import { type Fault, type ProxiedService, startProxiedService } from '../proxy.ts'

let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService({ IDLE_TIMEOUT_MS: '400' })
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The outcome of a read as a client sees it: the parsed answer, or a transport failure. */
async function outcome(uri: string): Promise<'whole' | 'broken' | 'error'> {
  try {
    const answer = await proxied.service.read(uri)
    return answer.body.result ? 'whole' : 'error'
  } catch {
    return 'broken'
  }
}

/** Answers a GET with a head that promises `size` bytes and sends only the first `sent`, then does `after`. */
function cutShort(size: number, sent: number, after: (res: ServerResponse) => void): Fault {
  return (req, res) => {
    req.resume()
    res.writeHead(200, { 'content-type': 'text/plain', 'content-length': size, etag: '"x"' })
    res.write(Buffer.alloc(sent, 'a'), () => after(res))
  }
}

test.each(['text/plain', 'application/pdf'])(
  'a connection to S3 that breaks after 3 MB of 8 MB breaks the answer of %s (A15)',
  async (type) => {
    const { fileId } = await proxied.service.put(Buffer.alloc(8_000_000, 'a'), { type })
    proxied.s3.fault = cutShort(8_000_000, 3_000_000, (res) => res.destroy())
    expect(await outcome(`files://${fileId}`)).toBe('broken')
    proxied.heal()
    expect(await outcome(`files://${fileId}`)).toBe('whole')
  },
)

test('an object that ends one byte early is never a success (B03)', async () => {
  const { fileId } = await proxied.service.put(Buffer.alloc(1_000_000, 'a'))
  proxied.s3.fault = cutShort(1_000_000, 999_999, (res) => res.destroy())
  expect(await outcome(`files://${fileId}`)).toBe('broken')
  proxied.s3.fault = cutShort(999_999, 999_999, (res) => res.end())
  expect(await outcome(`files://${fileId}`)).toBe('error')
})

test('S3 that stalls after half an object breaks the answer when the idle time is over (B02)', async () => {
  const { fileId } = await proxied.service.put(Buffer.alloc(2_000_000, 'a'))
  proxied.s3.fault = cutShort(2_000_000, 1_000_000, () => {})
  expect(await outcome(`files://${fileId}`)).toBe('broken')
})

test('a streamed answer announces no length, and a short one its bytes (A07)', async () => {
  const { fileId } = await proxied.service.put('😀é€'.repeat(10_000))
  const answer = await proxied.service.read(`files://${fileId}`)
  expect(answer.headers.get('content-length')).toBeNull()
  expect(answer.body.result.contents[0].text).toBe('😀é€'.repeat(10_000))
  const missing = await proxied.service.read('files://😀')
  expect(missing.headers.get('content-length')).toBe(String(Buffer.byteLength(missing.text)))
})

test('the log holds no content, no token and no long URI (A16, D22)', async () => {
  const { service } = proxied
  service.logs.length = 0
  const { fileId } = await service.put(Buffer.alloc(1_000_000, 'confidential '), { name: 'plan.txt' })
  await service.read(`files://${fileId}`)
  await service.read(`files://${'x'.repeat(60_000)}`)
  proxied.s3.fault = cutShort(1_000_000, 500_000, (res) => res.destroy())
  expect(await outcome(`files://${fileId}`)).toBe('broken')
  const text = JSON.stringify(service.logs)
  expect(service.logs.map(([, event]) => event)).toEqual([
    'decision',
    'decision',
    'decision',
    'response-broken',
  ])
  for (const secret of ['confidential', 'plan.txt', 'xxxxx', 'eyJ']) expect(text).not.toContain(secret)
})

test.each(['CRC32', 'SHA256'] as const)(
  'an object of two parts with %s is read byte for byte and listed once (B04)',
  async (algorithm) => {
    const { stores, environment } = proxied.service
    const workspaceId = `parts-${algorithm}`
    const file = await announceFile(stores, { workspaceId, ownerId: 'ana', name: 'big.bin' })
    const place = { Bucket: 'files-bucket', Key: file.objectKey }
    const s3 = createS3(environment)
    const bytes = Buffer.alloc(9 * 1_048_576, 'nine mebibytes ')
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: algorithm }),
    )
    const halves = [bytes.subarray(0, 5 * 1_048_576), bytes.subarray(5 * 1_048_576)]
    const Parts = await Promise.all(
      halves.map(async (Body, i) => {
        const part = new UploadPartCommand({
          ...place,
          UploadId,
          Body,
          PartNumber: i + 1,
          ChecksumAlgorithm: algorithm,
        })
        const { ETag, ChecksumCRC32, ChecksumSHA256 } = await s3.send(part)
        return { ETag, ChecksumCRC32, ChecksumSHA256, PartNumber: i + 1 }
      }),
    )
    await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
    await completeFile(stores, workspaceId, file.fileId)
    const answer = await proxied.service.read(`files://${file.fileId}`, { workspace: workspaceId })
    const read = Buffer.from(answer.body.result.contents[0].blob, 'base64')
    expect(read.length).toBe(9_437_184)
    expect(sha256(read)).toBe(sha256(bytes))
    const list = await proxied.service.list(undefined, { workspace: workspaceId })
    expect(list.body.result.resources).toHaveLength(1)
  },
)

test.each([
  "a (1) * ' ! ^ : + & = ~ @ $ , ;.txt",
  'a%20b%2Fc.txt',
  '../../etc/passwd',
  '..',
  '東京 😀.txt',
  'a\nb\t.txt',
  '//',
])('a file named %j is stored, read and listed (B05)', async (name) => {
  const workspaceId = 'names'
  const { fileId } = await proxied.service.put('x', { workspaceId, name, type: 'text/plain' })
  const answer = await proxied.service.read(`files://${fileId}`, { workspace: workspaceId })
  expect(answer.body.result.contents[0].text).toBe('x')
  const { resources } = (await proxied.service.list(undefined, { workspace: workspaceId })).body.result
  expect(resources.find(({ uri }: { uri: string }) => uri === `files://${fileId}`).name).toBe(name)
})

test('a read during overwrites is wholly one version, or says that it cannot (B11)', async () => {
  const { stores, environment, read } = proxied.service
  const { fileId, objectKey } = await proxied.service.put('a'.repeat(1_024))
  const s3 = createS3(environment)
  const bodies = ['b'.repeat(3_000_000), 'a'.repeat(1_024), 'c'.repeat(11_000_000), 'd']
  let isOver = false
  async function overwrite() {
    for (const Body of [...bodies, ...bodies]) {
      await s3.send(
        new PutObjectCommand({ Bucket: 'files-bucket', Key: objectKey, Body, ContentType: 'text/plain' }),
      )
      await completeFile(stores, 'acme', fileId)
    }
    isOver = true
  }
  const seen = new Set<string>()
  async function reading() {
    while (!isOver) {
      const { body } = await read(`files://${fileId}`)
      const text: string | undefined = body.result?.contents[0].text
      seen.add(
        text === undefined ? `${body.error.code} ${body.error.data?.size}` : `${text[0]} ${text.length}`,
      )
      if (text !== undefined) expect(new Set(text).size).toBe(1)
    }
  }
  await Promise.all([overwrite(), reading(), reading()])
  const allowed = ['a 1024', 'b 3000000', 'd 1', '-32005 11000000', '-32603 undefined']
  expect([...seen].filter((outcome) => !allowed.includes(outcome))).toEqual([])
  expect(seen.size).toBeGreaterThan(1)
})

test('a text of 10 MiB of NUL, sixty million characters of JSON, arrives whole (C07)', async () => {
  const { fileId } = await proxied.service.put(Buffer.alloc(10_485_760), { type: 'text/plain' })
  const response = await fetch(`${proxied.service.url}/rpc`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await proxied.service.token()}`,
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"files://${fileId}"}}`,
  })
  let size = 0
  let tail = Buffer.alloc(0)
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    tail = Buffer.concat([tail, chunk]).subarray(-10)
  }
  expect(size).toBe(62_914_688)
  expect(tail.toString()).toBe('u0000"}]}}')
})
