/**
 * What the object store makes of answers that no honest connection gives: bytes that end early or go on, quietly.
 */
import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { createObjectStore } from '../lib/objects.ts'

/** A store whose S3 answers every request with this head and these chunks. */
function storeOver(contentLength: number, ...chunks: string[]) {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  const response = { statusCode: 200, headers: { 'content-length': String(contentLength) }, body }
  const client = new S3Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { handle: async () => ({ response }) },
  })
  return { objects: createObjectStore(client, 'bucket'), body }
}

const pin = { key: 'k', etag: '"e"', versionId: 'v', size: 5 }

async function textOf(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let text = ''
  for await (const chunk of bytes ?? []) text += Buffer.from(chunk).toString()
  return text
}

test('the pinned bytes come as S3 sends them', async () => {
  const { objects, body } = storeOver(5, 'he', 'llo')
  expect(await textOf(await objects.open(pin))).toBe('hello')
  expect(body.destroyed).toBe(true)
})

test.each([['hell'], ['he', 'l'], []])('bytes that end early throw (B03): %j', async (...chunks) => {
  const { objects } = storeOver(5, ...chunks)
  await expect(objects.open(pin).then(textOf)).rejects.toMatchObject({ code: 'unavailable' })
})

test('bytes that go on throw before the surplus is handed over', async () => {
  const { objects, body } = storeOver(5, 'hello', ' you')
  const seen: string[] = []
  const reading = (async () => {
    for await (const chunk of (await objects.open(pin)) ?? []) seen.push(Buffer.from(chunk).toString())
  })()
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' })
  expect(seen).toEqual(['hello'])
  expect(body.destroyed).toBe(true)
})

test('another length than was indexed throws before any byte, and frees the socket', async () => {
  const { objects, body } = storeOver(4, 'hell')
  await expect(objects.open(pin)).rejects.toMatchObject({ code: 'unavailable' })
  expect(body.destroyed).toBe(true)
})

test('a reader who stops, or a signal before anybody reads, frees the socket', async () => {
  const stopped = storeOver(5, 'he', 'llo')
  for await (const _ of (await stopped.objects.open(pin)) ?? []) break
  expect(stopped.body.destroyed).toBe(true)
  const aborted = storeOver(5, 'he', 'llo')
  const abort = new AbortController()
  await aborted.objects.open(pin, abort.signal)
  expect(aborted.body.destroyed).toBe(false)
  abort.abort()
  expect(aborted.body.destroyed).toBe(true)
})

const listing = (isTruncated: boolean, ...keys: string[]) =>
  `<ListBucketResult><KeyCount>${keys.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? '<NextContinuationToken>further</NextContinuationToken>' : ''}${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`

test('a page of a listing without keys is not its end: many deleted objects may make one', async () => {
  const pages = [listing(true), listing(true), listing(true, 'files/b'), listing(false, 'files/c')]
  const asked: (string | undefined)[] = []
  const client = new S3Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: {
      handle: async ({ query }: { query: Record<string, string> }) => {
        asked.push(query['continuation-token'] ?? query['start-after'])
        return { response: { statusCode: 200, headers: {}, body: Readable.from([pages.shift() ?? '']) } }
      },
    },
  })
  const objects = createObjectStore(client, 'bucket')
  expect(await objects.list('files/a')).toEqual({ keys: ['files/b'], next: 'files/b' })
  expect(await objects.list('files/b')).toEqual({ keys: ['files/c'], next: undefined })
  expect(asked).toEqual(['files/a', 'further', 'further', 'files/b'])
})
