/**
 * What is settled about an object when it is indexed, on real objects.
 */
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ObjectStore, PutOptions } from '../lib/objects.ts'
import { settle } from '../lib/settle.ts'
import { answering, type ProxiedService, startProxiedService } from './proxy.ts'

const key = 'files/acme/ana/fl_0123456789abcdef01234567/x'
let proxied: ProxiedService
let objects: ObjectStore
beforeAll(async () => {
  proxied = await startProxiedService()
  objects = proxied.service.stores.objects
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

/** The facts about these bytes, under a limit of 100, without ETag and version. */
async function settled(bytes: Uint8Array, options: Partial<PutOptions>, name = 'x') {
  await objects.put(key, bytes, { size: bytes.length, contentType: undefined, ...options })
  const found = await objects.head(key)
  if (!found) throw new Error('not stored')
  const content = await settle(objects, key, found, name, 100)
  expect(content?.etag).toBe(found.etag)
  expect(content?.versionId).toBe(found.versionId)
  const { etag: _etag, versionId: _versionId, ...facts } = content ?? {}
  return facts
}

const plain = { charset: undefined, gzip: false, oversize: false }

test('a blob is settled without reading it', async () => {
  const calls = await proxied.callsOf(async () => {
    expect(await settled(Buffer.alloc(5), { contentType: 'image/png' })).toEqual({
      ...plain,
      type: 'image/png',
      size: 5,
      storedSize: 5,
    })
  })
  expect(calls).toEqual(['PUT object', 'HEAD object'])
})

test('a text is read once, and its charset and type are settled', async () => {
  const calls = await proxied.callsOf(async () => {
    expect(await settled(Buffer.from([0xe9]), { contentType: 'text/csv; charset=latin1; a=b' })).toEqual({
      ...plain,
      type: 'text/csv; a=b',
      charset: 'windows-1252',
      size: 1,
      storedSize: 1,
    })
  })
  expect(calls).toEqual(['PUT object', 'HEAD object', 'GET object'])
})

test('a text over the limit is not read, and oversize: it must not become a blob when the limit is raised', async () => {
  const calls = await proxied.callsOf(async () => {
    expect(await settled(Buffer.alloc(101), { contentType: 'text/plain' })).toEqual({
      ...plain,
      oversize: true,
      type: 'text/plain',
      size: 101,
      storedSize: 101,
    })
  })
  expect(calls).toEqual(['PUT object', 'HEAD object'])
})

test('a text of exactly the limit is text', async () => {
  expect(await settled(Buffer.alloc(100), { contentType: 'text/plain' })).toMatchObject({ charset: 'utf-8' })
})

test('gzip has its decoded size, up to the limit', async () => {
  const bytes = gzipSync(Buffer.alloc(100, 'a'))
  expect(await settled(bytes, { contentType: 'text/plain', contentEncoding: 'gzip' })).toEqual({
    type: 'text/plain',
    charset: 'utf-8',
    gzip: true,
    oversize: false,
    size: 100,
    storedSize: bytes.length,
  })
})

test('gzip of more than the limit has its stored size, and is oversize', async () => {
  const bytes = gzipSync(Buffer.alloc(1_000_000, 'a'))
  expect(await settled(bytes, { contentType: 'text/plain', contentEncoding: 'gzip' })).toEqual({
    type: 'text/plain',
    charset: undefined,
    gzip: true,
    oversize: true,
    size: bytes.length,
    storedSize: bytes.length,
  })
})

test('the name gives the type where none was declared', async () => {
  expect(await settled(Buffer.from('x'), {}, 'notes.md')).toMatchObject({
    type: 'text/markdown',
    charset: 'utf-8',
  })
})

test('an object that is gone by the time it is read is undefined', async () => {
  const found = {
    size: 1,
    etag: '"0123456789abcdef0123456789abcdef"',
    versionId: undefined,
    contentType: 'text/plain',
    contentEncoding: undefined,
    lastModified: new Date(0),
  }
  expect(await settle(objects, `${key}-never`, found, 'x', 100)).toBeUndefined()
})

test('an outage while reading is no verdict on the bytes', async () => {
  await objects.put(key, Buffer.from('x'), { size: 1, contentType: 'text/plain' })
  const found = await objects.head(key)
  if (!found) throw new Error('not stored')
  proxied.s3.fault = answering(403, '<Error><Code>AccessDenied</Code></Error>', 'application/xml')
  await expect(settle(objects, key, found, 'x', 100)).rejects.toMatchObject({ code: 'unavailable' })
})
