/**
 * The audit trail: each call leaves exactly one line, whichever way it ends, and the log holds nothing that is secret.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requestIdOf } from '../lib/audit.ts'
import { removeFile } from '../lib/remove.ts'
import { type Service, startService } from './harness.ts'
import { onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
let service: Service
const fileIds = {
  mine: 'fl_00000000000000000000000a',
  bobs: 'fl_00000000000000000000000b',
  large: 'fl_00000000000000000000000c',
}
beforeAll(async () => {
  proxied = await startProxiedService({ FIRST_BYTE_TIMEOUT_MS: '1500' })
  service = proxied.service
  await service.put('hello', { fileId: fileIds.mine, name: 'plan.txt' })
  await service.put('secret', { fileId: fileIds.bobs, ownerId: 'bob' })
  await service.put(Buffer.alloc(2_000_000, 'confidential'), {
    fileId: fileIds.large,
    type: 'application/pdf',
  })
})
beforeEach(() => {
  service.logs.length = 0
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

const decisions = (from = service) =>
  from.logs.flatMap(([, event, fields]) => (event === 'decision' ? [fields] : []))
const ana = { workspace: 'acme', user: 'ana', server: 'reports' }
const frame = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: `ai.nimblebrain/resources/${method}`,
  params,
})
const read = (fileId: string) => frame('read', { uri: `files://${fileId}` })

test('a read leaves who asked, for which file, what came of it, and how to find it again', async () => {
  const answer = await service.call(read(fileIds.mine), {}, { headers: { 'x-request-id': 'host-7:42' } })
  expect(answer.headers.get('x-request-id')).toBe('host-7:42')
  expect(service.logs).toEqual([
    [
      'info',
      'decision',
      {
        requestId: 'host-7:42',
        ...ana,
        method: 'read',
        fileId: fileIds.mine,
        outcome: 'ok',
        bytes: 133,
        latencyMs: expect.any(Number),
      },
    ],
  ])
})

describe('exactly one line is left by', () => {
  test.each([
    ['a list', frame('list'), 'list', 'ok'],
    ['a read of somebody else’s file', read(fileIds.bobs), 'read', 'not-found'],
    ['a read of no file', read('../x'), 'read', 'not-found'],
    ['a read without a uri', frame('read'), 'read', 'invalid-params'],
    ['a large read', read(fileIds.large), 'read', 'ok'],
    ['a list with a bad filter', frame('list', { _meta: { filter: 5 } }), 'list', 'invalid-params'],
    ['an unknown method', frame('write'), 'other', 'unknown-method'],
    ['a notification', { jsonrpc: '2.0', method: 'x' }, 'other', 'notification'],
    ['a batch', [], 'other', 'invalid-request'],
    ['no JSON', 'x', 'other', 'parse-error'],
  ])('%s', async (_, sent, method, outcome) => {
    await service.call(sent)
    expect(decisions()).toEqual([expect.objectContaining({ ...ana, method, outcome })])
  })

  test.each([
    ['no credential', { authorization: '' }, 'unauthenticated'],
    ['a bad credential', { authorization: 'Bearer x.y.z' }, 'unauthenticated'],
  ])('a call with %s, of nobody', async (_, headers, outcome) => {
    await service.call(frame('list'), {}, { headers })
    expect(decisions()).toEqual([
      { requestId: expect.any(String), method: 'other', outcome, bytes: 0, latencyMs: expect.any(Number) },
    ])
  })

  test.each([
    ['text', { headers: { 'content-type': 'text/plain' } }, 'not-json'],
    ['a body that is too large', { body: ' '.repeat(65_537) }, 'body-too-large'],
    ['a bad limit', { headers: { 'max-read-bytes': 'x' } }, 'invalid-request'],
  ])('%s', async (_, init, outcome) => {
    await service.call(read(fileIds.mine), {}, init)
    expect(decisions()).toEqual([expect.objectContaining({ outcome })])
  })

  test('a file that is too large', async () => {
    await service.read(`files://${fileIds.large}`, {}, { 'max-read-bytes': '5' })
    expect(decisions()).toEqual([expect.objectContaining({ outcome: 'too-large', fileId: fileIds.large })])
  })

  test.each(['GetItem', 'UpdateItem'])('an outage of %s', async (operation) => {
    proxied.dynamo.fault = onlyFor(operation, (req) => req.socket.destroy())
    await service.call(read(fileIds.mine))
    expect(decisions()).toEqual([
      expect.objectContaining({ ...ana, outcome: 'unavailable', fileId: fileIds.mine }),
    ])
    const [failed] = service.logs.flatMap(([, event, fields]) => (event === 'internal-error' ? [fields] : []))
    expect(failed?.requestId).toBe(decisions()[0]?.requestId)
  })

  test('storage that breaks in the middle', async () => {
    proxied.s3.fault = (_req, res, pass) =>
      pass.to((answer) => {
        res.writeHead(200, answer.rawHeaders)
        answer.once('data', (chunk: Buffer) => res.write(chunk, () => res.destroy()))
      })
    await expect(service.call(read(fileIds.large))).rejects.toThrow()
    expect(decisions()).toEqual([expect.objectContaining({ ...ana, outcome: 'broken' })])
  })

  test('a reader that leaves in the middle', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await service.token()}` }
    const req = request(`${service.url}/rpc`, { method: 'POST', headers, agent: false })
    req.on('error', () => {})
    req.end(JSON.stringify(read(fileIds.large)))
    await new Promise<void>((resolve) => {
      req.once('response', (res) => res.once('readable', () => resolve(void req.destroy())))
    })
    for (let i = 0; i < 3_000 && decisions().length === 0; i += 1) await sleep(10)
    await sleep(50)
    expect(decisions()).toEqual([expect.objectContaining({ ...ana, method: 'read' })])
  })

  test.each([
    ['the index', 'dynamo', 'GetItem'],
    ['the bucket of tokens', 'dynamo', 'UpdateItem'],
    ['the object', 's3', 'GET object'],
  ] as const)(
    'a reader that leaves while %s is asked, and it is no outage',
    async (_, storage, operation) => {
      const asked = new Promise<void>((resolve) => {
        proxied[storage].fault = onlyFor(operation, () => resolve())
      })
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${await service.token()}` }
      const req = request(`${service.url}/rpc`, { method: 'POST', headers, agent: false })
      req.on('error', () => {})
      req.end(JSON.stringify(read(fileIds.mine)))
      await asked
      req.destroy()
      for (let i = 0; i < 3_000 && decisions().length === 0; i += 1) await sleep(10)
      await sleep(50)
      expect(service.logs).toEqual([
        [
          'info',
          'decision',
          expect.objectContaining({ ...ana, method: 'read', outcome: 'broken', bytes: 0 }),
        ],
      ])
    },
  )

  test('a refusal', async () => {
    const tight = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' })
    let answers = 0
    do answers += 1
    while ((await tight.list()).body.error === undefined)
    expect(decisions(tight)).toHaveLength(answers)
    expect(decisions(tight).at(-1)).toMatchObject({ ...ana, outcome: 'rate-limited' })
    await tight.close()
  })
})

test('what is no call leaves none, and every answer has an id', async () => {
  for (const path of ['/healthz', '/capability', '/nowhere', '/rpc']) {
    expect((await fetch(`${service.url}${path}`)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
  expect(decisions()).toEqual([])
})

test.each(['a b', 'x'.repeat(129), '"', '\u00e9', '{}', '<x>', ''])(
  'the request id %j of a host is not taken over',
  (id) => {
    expect(requestIdOf(id)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  },
)

test('under load and faults the log holds no token, URI, body, tag or name of a file', async () => {
  let calls = 0
  proxied.s3.fault = (req, _res, pass) => (calls++ % 3 === 0 ? void req.socket.destroy() : pass())
  proxied.dynamo.fault = (req, _res, pass) => (calls++ % 5 === 0 ? void req.socket.destroy() : pass())
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const { fileId } = await service
        .put(`body of confidential ${i}`, { name: `merger ${i}.txt`, tags: ['takeover'] })
        .catch(() => ({ fileId: fileIds.mine }))
      await Promise.allSettled([
        service.call(read(fileId)),
        service.call(read(fileIds.large)),
        service.call(read(`../takeover/${'x'.repeat(500)}`)),
        service.list({ tags: ['takeover'] }),
        service.list({ tags: 5 }),
        service.call('{"takeover', {}),
        service.call(
          frame('list'),
          {},
          { headers: { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbmEifQ.' } },
        ),
        removeFile(service.stores, { workspaceId: 'acme', fileId }),
      ])
    }),
  )
  const text = JSON.stringify(service.logs)
  expect(decisions().length).toBeGreaterThanOrEqual(140)
  for (const secret of [
    'confidential',
    'merger',
    'plan.txt',
    'takeover',
    'eyJ',
    'files://',
    'xxxx',
    'secret',
  ]) {
    expect(text).not.toContain(secret)
  }
})

test('no answer tells what serves it', async () => {
  const heads = [
    await service.list(),
    await service.call('{}'),
    await fetch(`${service.url}/nowhere`),
    await fetch(`${service.url}/rpc`, { method: 'POST' }),
  ]
  for (const { headers } of heads) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    for (const name of ['server', 'x-powered-by', 'via']) expect(headers.has(name)).toBe(false)
  }
})
