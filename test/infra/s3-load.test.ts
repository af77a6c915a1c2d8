/**
 * Under load: slow readers stop nobody, readers who leave free their files, and a listing's cost is its page.
 */
import { readdir, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterEach, expect, it } from 'vitest'
import { compareKeys, createKeyIndex } from '../../infra/local/s3/keys.ts'
import { walk } from '../../infra/local/s3/page.ts'
import { startTarget, temporaryFolder } from './s3-start.ts'
import { patternOf } from './s3-target.ts'

let clean = async () => {}
afterEach(async () => {
  await clean()
  clean = async () => {}
})

async function open() {
  const dir = await temporaryFolder()
  const target = await startTarget({ dir, trusting: true })
  clean = async () => {
    await target.close()
    await rm(dir, { recursive: true })
  }
  return { ...target, dir }
}

/** Begins to read and stops after the headers. */
function stall(url: string): Promise<IncomingMessage> {
  const message = request(url, { headers: { authorization: 'none' }, agent: false })
  return new Promise((resolve, reject) => {
    message.on('response', (response) => resolve(response.on('error', () => {}))).on('error', reject)
    message.end()
  })
}

/** Asks, and goes away before there can be an answer. */
function leave(url: string): Promise<void> {
  const message = request(url, { headers: { authorization: 'none' }, agent: false })
  return new Promise((resolve) => {
    message.on('error', () => {}).on('close', resolve)
    message.end(() => message.destroy())
  })
}

it('64 readers who stall stop nobody, and what they hold is given back when they go', async () => {
  const { client, endpoint } = await open()
  const body = patternOf(10_485_760)
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: body }))
  const openFiles = async () => (await readdir('/dev/fd')).length
  const before = await openFiles()
  const memoryBefore = process.memoryUsage().rss
  const stalled = await Promise.all(Array.from({ length: 64 }, () => stall(`${endpoint}/bucket/k`)))
  expect(await openFiles()).toBeGreaterThanOrEqual(before + 64)
  const startedMs = performance.now()
  const got = await client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }))
  expect(body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  // 640 MiB were asked for and are not in memory.
  expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(300 * 1_048_576)
  for (const reader of stalled) reader.destroy()
  await expect.poll(openFiles, { timeout: 30_000 }).toBeLessThan(before + 8)
})

it('readers who leave as soon as they have asked leave no file open', async () => {
  const { client, endpoint } = await open()
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: patternOf(1_048_576) }))
  const openFiles = async () => (await readdir('/dev/fd')).length
  const before = await openFiles()
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 64 }, () => leave(`${endpoint}/bucket/k`)))
  }
  await expect.poll(openFiles, { timeout: 30_000 }).toBeLessThan(before + 8)
})

it('an object that is overwritten while it is read is read to its end', async () => {
  const { client, endpoint } = await open()
  const body = patternOf(10_485_760)
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: body }))
  const reader = await stall(`${endpoint}/bucket/k`)
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: 'other' }))
  const chunks: Buffer[] = []
  for await (const chunk of reader) chunks.push(chunk)
  expect(body.equals(Buffer.concat(chunks))).toBe(true)
})

it('readers and writers of one key always see one whole object', async () => {
  const { client } = await open()
  const bodyOf = (digit: number) => String(digit).repeat(100_000)
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: bodyOf(0) }))
  const write = async () => {
    for (let turn = 0; turn < 20; turn++) {
      await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'k', Body: bodyOf(turn % 10) }))
    }
  }
  const read = async () => {
    for (let turn = 0; turn < 40; turn++) {
      const got = await client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'k' }))
      const text = (await got.Body?.transformToString()) ?? ''
      expect(text).toBe(bodyOf(Number(text[0])))
    }
  }
  await Promise.all([write(), write(), read(), read(), read()])
})

it('a page out of 200,000 keys is found without sorting them again', () => {
  const index = createKeyIndex()
  for (let at = 0; at < 200_000; at++) index.add(`files/${at % 100}/${(at * 7919) % 200_000}`)
  const sortBeganMs = performance.now()
  expect(index.sorted()).toHaveLength(200_000)
  const sortMs = performance.now() - sortBeganMs
  const page = { prefix: 'files/', delimiter: '/', maxKeys: 1000, encodes: false, show: String }
  const startedMs = performance.now()
  for (let turn = 0; turn < 200; turn++) {
    index.add(`files/new/${turn}`)
    index.remove(`files/5/${turn}`)
    expect([...walk(index.sorted(), page, 0, () => true)]).toHaveLength(101)
  }
  expect(performance.now() - startedMs).toBeLessThan(4 * sortMs)
})

it('the index holds what was added and not removed, in the order of UTF-8 bytes', () => {
  const index = createKeyIndex()
  const model = new Set<string>()
  const letters = ['a', 'Z', '/', 'é', '\uffee', '😀', '\u{10ffff}', '\ud7ff', '\ue000']
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let turn = 0; turn < 5000; turn++) {
    const key = Array.from({ length: 1 + random(4) }, () => letters[random(letters.length)]).join('')
    if (random(3) === 0) {
      index.remove(key)
      model.delete(key)
    } else {
      index.add(key)
      model.add(key)
    }
    if (random(60) > 0) continue
    const expected = [...model].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(index.sorted()).toEqual(expected)
  }
  expect(compareKeys('\uffee', '😀')).toBeLessThan(0)
})
