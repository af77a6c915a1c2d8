/**
 * Bytes under way from S3 to a reader that is slow, absent or gone: what is held back, what is given up, and when.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createResolver } from '../functions/wiring.ts'
import type { Who } from './harness.ts'
import { type Fault, onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

const MiB = 1_048_576

let proxied: ProxiedService
const serve = (overrides: Record<string, string>) => {
  beforeAll(async () => {
    proxied = await startProxiedService({ MAX_READ_BYTES: String(64 * MiB), ...overrides })
  })
  afterEach(() => proxied.heal())
  afterAll(() => proxied.close())
}

interface Reading {
  readonly req: ClientRequest
  /** The answer's head; its body is not read until somebody does. */
  readonly answer: Promise<IncomingMessage>
}

/** A client with a connection of its own that sends a read and then does nothing. */
async function startReading(uri: string, who?: Who): Promise<Reading> {
  const { service } = proxied
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await service.token(who)}` }
  const req = request(`${service.url}/rpc`, { method: 'POST', headers, agent: false })
  req.on('error', () => {})
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    req.once('response', resolve)
    req.once('error', reject)
  })
  answer.catch(() => {})
  req.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/read', params: { uri } }))
  return { req, answer }
}

/** What arrives until the connection ends, in order or not; `pace` is called after each piece. */
async function drain(answer: IncomingMessage, pace: (bytes: number) => Promise<unknown> = async () => {}) {
  const pieces: Buffer[] = []
  let isWhole = true
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      await pace(piece.length)
    }
  } catch {
    isWhole = false
  }
  return { isWhole, text: Buffer.concat(pieces).toString() }
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 3_000 && !isTrue(); i += 1) await sleep(10)
  expect(isTrue(), what).toBe(true)
}

/** A GET of which no more than so many bytes come, and no end. */
function stalledAfter(bytes: number): Fault {
  return onlyFor('GET object', (_req, res, pass) => {
    const write = res.write.bind(res)
    let sentBytes = 0
    res.write = (chunk: Buffer) => {
      sentBytes += chunk.length
      return sentBytes < bytes && write(chunk)
    }
    pass()
  })
}

const freed = ({ open }: { open: number }) => open === 0
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a reader', () => {
  serve({})

  test.each(['application/pdf', 'text/plain'])(
    'a slow reader of 10 MiB of %s gets every byte',
    async (type) => {
      const bytes = type === 'text/plain' ? Buffer.alloc(10 * MiB, 'aé€😀"\\\n') : randomBytes(10 * MiB)
      const { fileId } = await proxied.service.put(bytes, { type })
      const { answer } = await startReading(`files://${fileId}`)
      const { isWhole, text } = await drain(await answer, () => sleep(5))
      expect(isWhole).toBe(true)
      const [content] = JSON.parse(text).result.contents
      const received = type === 'text/plain' ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64')
      expect(sha256(received)).toBe(sha256(bytes))
      await until(() => freed(proxied.s3), 'the S3 connection is free')
    },
  )

  test('150 refusals and 150 readers that leave in the middle cost no S3 connection', async () => {
    const { service, s3 } = proxied
    const { fileId } = await service.put(randomBytes(3 * MiB), { type: 'application/pdf' })
    const uri = `files://${fileId}`
    s3.calls.length = 0
    for (let i = 0; i < 75; i += 1) {
      expect((await service.read(uri, { user: 'bob' })).body.error.code).toBe(-32002)
      expect((await service.read(uri, {}, { 'max-read-bytes': '5' })).body.error.code).toBe(-32005)
    }
    expect(s3.calls).not.toContain('GET object')
    s3.fault = stalledAfter(MiB)
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { req, answer } = await startReading(uri)
          const response = await answer
          await new Promise((resolve) => response.once('readable', resolve))
          req.destroy()
        }),
      )
    }
    await until(() => freed(s3), 'every S3 connection is free')
    proxied.heal()
    expect((await service.read(uri)).body.result.contents[0].blob).toHaveLength(4 * MiB)
  })

  describe('that leaves', () => {
    test.each([
      ['the index', 'dynamo', 'GetItem'],
      ['the bucket of tokens', 'dynamo', 'UpdateItem'],
      ['the object', 's3', 'GET object'],
    ] as const)('while %s is asked ends that call too', async (_, storage, operation) => {
      const { service } = proxied
      const { fileId } = await service.put('x')
      const asked = new Promise<void>((resolve) => {
        proxied[storage].fault = onlyFor(operation, () => resolve())
      })
      const { req } = await startReading(`files://${fileId}`)
      await asked
      req.destroy()
      await until(() => freed(proxied.s3) && freed(proxied.dynamo), 'all storage is left')
      proxied.heal()
      expect((await service.read(`files://${fileId}`)).body.result.contents[0].text).toBe('x')
    })

    test('before its call begins leaves nothing open', async () => {
      const { service, s3, dynamo } = proxied
      const { fileId } = await service.put(Buffer.alloc(4 * MiB), { type: 'application/pdf' })
      const app = createResolver(service.config, service.environment, () => {})
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'ai.nimblebrain/resources/read',
        params: { uri: `files://${fileId}` },
      }
      const response = await app.request(
        '/rpc',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${await service.token()}` },
          body: JSON.stringify(body),
        },
        { signal: AbortSignal.abort() },
      )
      expect(response.status).toBe(503)
      await until(() => freed(s3) && freed(dynamo), 'all storage is left')
    })

    test('after the object was opened and before it is read frees the connection', async () => {
      const { service, s3 } = proxied
      const { objectKey, content } = await service.put(Buffer.alloc(8 * MiB), { type: 'application/pdf' })
      const pin = { key: objectKey, etag: content?.etag ?? '', versionId: content?.versionId, size: 8 * MiB }
      const leaving = new AbortController()
      expect(await service.stores.objects.open(pin, leaving.signal)).toBeDefined()
      expect(s3.open).toBe(1)
      leaving.abort()
      await until(() => freed(s3), 'the S3 connection is free')
    })

    test('at any other moment leaves nothing open', async () => {
      const { fileId } = await proxied.service.put(Buffer.alloc(MiB), { type: 'application/pdf' })
      for (let i = 0; i < 60; i += 1) {
        const { req } = await startReading(`files://${fileId}`)
        await sleep(Math.random() * 12)
        req.destroy()
      }
      await until(() => freed(proxied.s3) && freed(proxied.dynamo), 'all storage is left')
    })
  })
})

describe('when 700 ms pass without any progress', () => {
  serve({ IDLE_TIMEOUT_MS: '700' })

  test('a reader that takes nothing holds S3 back, and is given up', async () => {
    const { fileId } = await proxied.service.put(Buffer.alloc(60 * MiB), { type: 'application/pdf' })
    proxied.s3.sentBytes = 0
    const { answer } = await startReading(`files://${fileId}`)
    const response = await answer
    await sleep(300)
    expect(proxied.s3.open).toBe(1)
    await until(() => freed(proxied.s3), 'the S3 connection is free')
    // what fits into the kernel's buffers on the way, and not the file
    expect(proxied.s3.sentBytes).toBeLessThan(30 * MiB)
    const { isWhole, text } = await drain(response)
    expect(isWhole).toBe(false)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  test('S3 that stalls in the middle is given up, and what has arrived is not complete', async () => {
    const { fileId } = await proxied.service.put(Buffer.alloc(4 * MiB), { type: 'application/pdf' })
    proxied.s3.fault = stalledAfter(2 * MiB)
    const { answer } = await startReading(`files://${fileId}`)
    const { isWhole, text } = await drain(await answer)
    expect(isWhole).toBe(false)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    await until(() => freed(proxied.s3), 'the S3 connection is free')
  })
})

describe('when an answer has taken 1,500 ms', () => {
  serve({ RESPONSE_TIMEOUT_MS: '1500' })

  test('a reader that is slow without end is given up', async () => {
    const { fileId } = await proxied.service.put(Buffer.alloc(60 * MiB), { type: 'application/pdf' })
    const { answer } = await startReading(`files://${fileId}`)
    const beganMs = performance.now()
    const { isWhole, text } = await drain(await answer, () =>
      sleep(performance.now() - beganMs < 9_000 ? 10 : 0),
    )
    expect(isWhole).toBe(false)
    expect(performance.now() - beganMs).toBeGreaterThan(1_400)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(freed(proxied.s3)).toBe(true)
  })
})
