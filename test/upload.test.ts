/**
 * Uploads straight to the bucket, as a browser sends them: what the host signed can be sent once, and nothing else.
 */
import { PutBucketCorsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIndexStores, createUploadSigner } from '../functions/stores.ts'
import { createS3 } from '../functions/wiring.ts'
import { uploadCors } from '../infra/cors.ts'
import { indexKey } from '../lib/indexing.ts'
import { removeFile } from '../lib/remove.ts'
import { createUpload, type Presign, type Upload } from '../lib/upload.ts'
import type { ReconcileStores } from '../lib/work.ts'
import { type Service, startService } from './harness.ts'

let service: Service
let stores: ReconcileStores
let presign: Presign
beforeAll(async () => {
  service = await startService()
  stores = createIndexStores(service.config, service.environment)
  presign = createUploadSigner(service.config, service.environment)
})
afterAll(() => service.close())

const input = {
  workspaceId: 'acme',
  ownerId: 'ana',
  name: 'q1 + ü.csv',
  tags: ['q1'],
  readers: ['ben'],
  size: 3,
}

const send = (
  upload: Upload,
  body: string,
  headers: Record<string, string> = upload.headers,
  url = upload.url,
) => fetch(url, { method: 'PUT', body, headers })
const keyOf = async ({ fileId }: Upload) => (await stores.files.get('acme', fileId))?.objectKey ?? ''

test('an upload is stored with the tags and access that the host announced', async () => {
  const upload = await createUpload(stores, presign, input)
  expect(upload.headers).toEqual({ 'content-type': 'text/csv', 'if-none-match': '*' })
  expect(new URL(upload.url).searchParams.get('X-Amz-SignedHeaders')).toBe(
    'content-length;content-type;host;if-none-match',
  )
  expect((await service.list()).body.result.resources).toEqual([])
  expect((await send(upload, 'a,b')).status).toBe(200)
  await indexKey(stores, await keyOf(upload))
  const { resources } = (await service.list({ tags: ['q1'] }, { user: 'ben' })).body.result
  expect(resources).toEqual([
    { uri: `files://${upload.fileId}`, name: 'q1 + ü.csv', mimeType: 'text/csv', size: 3 },
  ])
  expect((await service.read(`files://${upload.fileId}`, { user: 'carl' })).body.error.code).toBe(-32002)
})

test('the bytes can be sent once', async () => {
  const upload = await createUpload(stores, presign, input)
  expect((await send(upload, 'a,b')).status).toBe(200)
  expect((await send(upload, 'c,d')).status).toBe(412)
})

const signed = { 'content-type': 'text/csv', 'if-none-match': '*' }

test.each([
  ['another type', 'a,b', { ...signed, 'content-type': 'text/html' }],
  ['no type', 'a,b', { 'if-none-match': '*' }],
  ['no condition', 'a,b', { 'content-type': 'text/csv' }],
  ['another condition', 'a,b', { ...signed, 'if-none-match': '"x"' }],
  ['a byte more', 'a,bc', signed],
  ['a byte less', 'a,', signed],
  ['nothing', '', signed],
  ['an ACL', 'a,b', { ...signed, 'x-amz-acl': 'public-read' }],
  ['tags', 'a,b', { ...signed, 'x-amz-tagging': 'a=b' }],
  ['metadata', 'a,b', { ...signed, 'x-amz-meta-owner': 'mallory' }],
  [
    'another object as its source',
    'a,b',
    { ...signed, 'x-amz-copy-source': '/files-bucket/files/acme/ana/x' },
  ],
])('an upload with %s is refused', async (_, body, headers) => {
  const upload = await createUpload(stores, presign, input)
  const answer = await send(upload, body, headers)
  expect(answer.status).toBe(403)
  expect(await stores.objects.head(await keyOf(upload))).toBeUndefined()
})

test.each([
  ['another workspace', '/files/acme/', '/files/umbrella/'],
  ['another owner', '/ana/', '/ben/'],
  ['another file', '/fl_', '/fl_0'],
  ['another name', 'q1', 'q2'],
  ['a longer life', 'X-Amz-Expires=900', 'X-Amz-Expires=9000'],
  ['fewer signed headers', 'content-length%3B', ''],
])('a URL for %s is refused', async (_, from, to) => {
  const upload = await createUpload(stores, presign, input)
  const url = upload.url.replace(from, to)
  expect(url).not.toBe(upload.url)
  expect((await send(upload, 'a,b', upload.headers, url)).status).toBe(403)
})

test('the URL is for nothing but its PUT', async () => {
  const upload = await createUpload(stores, presign, input)
  const statuses = await Promise.all(
    ['GET', 'HEAD', 'DELETE', 'POST'].map(async (method) => (await fetch(upload.url, { method })).status),
  )
  expect(statuses).toEqual([403, 403, 403, 403])
})

test('an upload to a file that was deleted meanwhile stays unseen, and goes', async () => {
  const upload = await createUpload(stores, presign, input)
  const key = await keyOf(upload)
  await removeFile(stores, { workspaceId: 'acme', fileId: upload.fileId })
  expect((await send(upload, 'a,b')).status).toBe(200)
  await indexKey(stores, key)
  expect(await stores.objects.head(key)).toBeUndefined()
  expect((await service.read(`files://${upload.fileId}`)).body.error.code).toBe(-32002)
})

test('gzip is bound as well, and so is an empty file', async () => {
  const zipped = await createUpload(stores, presign, { ...input, contentEncoding: 'gzip' })
  expect((await send(zipped, 'a,b', signed)).status).toBe(403)
  const empty = await createUpload(stores, presign, { ...input, name: 'empty.txt', size: 0 })
  expect((await send(empty, '')).status).toBe(200)
})

test.each([
  [{ size: -1 }, 900],
  [{ size: 1.5 }, 900],
  [{ size: 5 * 1024 ** 3 + 1 }, 900],
  [{ ownerId: 'a b' }, 900],
  [{ size: Number.NaN }, 900],
  [{ type: 'text' }, 900],
  [{ type: 'text/plain; a="é"' }, 900],
  [{ contentEncoding: 'gzip\r\n' }, 900],
  [{ createdAtMs: Number.NaN }, 900],
  [{}, 0],
  [{}, 3_601],
])('%j for %i seconds is refused before anything is announced', async (wrong, seconds) => {
  const fileId = 'fl_0123456789abcdef0123abcd'
  await expect(createUpload(stores, presign, { ...input, ...wrong, fileId }, seconds)).rejects.toMatchObject({
    code: 'limit',
  })
  expect(await stores.files.get('acme', fileId)).toBeUndefined()
})

test('a page may upload from a configured origin, and from none by default', async () => {
  const upload = await createUpload(stores, presign, input)
  const preflight = async (origin: string, headers = 'content-type,if-none-match') =>
    (
      await fetch(upload.url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': headers,
        },
      })
    ).status
  expect(await preflight('https://app.example.com')).toBe(403)
  const CORSRules = uploadCors(['https://app.example.com'])
  const request = new PutBucketCorsCommand({ Bucket: 'files-bucket', CORSConfiguration: { CORSRules } })
  await createS3(service.environment).send(request)
  expect(await preflight('https://app.example.com')).toBe(200)
  expect(await preflight('https://evil.example.com')).toBe(403)
  expect(await preflight('https://app.example.com', 'x-amz-acl')).toBe(403)
  const answer = await fetch(upload.url, {
    method: 'PUT',
    body: 'a,b',
    headers: { ...upload.headers, origin: 'https://app.example.com' },
  })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://app.example.com',
  ])
})
