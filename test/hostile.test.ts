/**
 * Requests that are meant to do harm: whatever comes, the service answers with a 4xx or a JSON-RPC error, never with a
 * 5xx, never with somebody's file, and the next honest request works.
 */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './harness.ts'
import { sendRaw, statusOf } from './raw.ts'

let service: Service
let secret: string
let authorization: string
beforeAll(async () => {
  service = await startService()
  secret = (await service.put('top secret', { ownerId: 'bob', tags: ['t'] })).fileId
  authorization = `Bearer ${await service.token()}`
})
afterEach(async () => {
  const answer = await service.list()
  expect(answer.body.result).toEqual({ resources: [] })
  expect(service.logs.filter(([level]) => level === 'error')).toEqual([])
})
afterAll(() => service.close())

const listMethod = 'ai.nimblebrain/resources/list'
const readMethod = 'ai.nimblebrain/resources/read'
const frameOf = (params: string, method = listMethod) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

test.each([
  ['thirty thousand brackets', '['.repeat(30_000), 400],
  ['thirty thousand pairs', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 400],
  ['objects ten thousand deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400],
  ['deep params', frameOf(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), 200],
  ['a deep uri', frameOf(`{"uri":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, readMethod), 200],
  ['a deep cursor', frameOf(`{"cursor":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), 200],
  ['a deep filter', frameOf(`{"_meta":{"filter":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`), 200],
  [
    'a deep scheme',
    frameOf(`{"_meta":{"filter":{"scheme":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}}}`),
    200,
  ],
  ['a deep tag', frameOf(`{"_meta":{"filter":{"tags":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}}}`), 200],
  ['a huge exponent', frameOf('{"cursor":1e99999}'), 200],
  ['sixty thousand digits', frameOf(`{"cursor":${'9'.repeat(60_000)}}`), 200],
  ['a proto of the frame', `{"__proto__":{"method":"x"},"jsonrpc":"2.0","id":1}`, 400],
  ['a proto of params', frameOf(`{"__proto__":{"uri":"files://x"}}`, readMethod), 200],
  ['a proto of _meta', frameOf(`{"_meta":{"__proto__":{"filter":5}}}`), 200],
  [
    'a thousand filter members',
    frameOf(`{"_meta":{"filter":{${Array.from({ length: 1_000 }, (_, i) => `"k${i}":1`)}}}}`),
    200,
  ],
  ['ten thousand tags', frameOf(`{"_meta":{"filter":{"tags":[${'"t",'.repeat(10_000)}"t"]}}}`), 200],
  ['a tag of a lone surrogate', frameOf('{"_meta":{"filter":{"tags":["\\ud800"]}}}'), 200],
  ['an id of lone surrogates', '{"jsonrpc":"2.0","id":"\\udfff\\ud800","method":"x"}', 200],
  ['an id of sixty thousand characters', `{"jsonrpc":"2.0","id":"${'x'.repeat(60_000)}","method":"x"}`, 200],
  ['a method of line breaks', '{"jsonrpc":"2.0","id":1,"method":"\\r\\nSet-Cookie: x"}', 200],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"x"}', 200],
  ['UTF-16', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"x"}', 'utf16le').toString('latin1'), 400],
])('an envelope of %s', async (_, body, status) => {
  const answer = await service.call(body)
  expect(answer.status).toBe(status)
  expect(answer.body.jsonrpc).toBe('2.0')
  expect(answer.text).not.toContain(secret)
  if (answer.body.error) expect([-32700, -32600, -32601, -32602]).toContain(answer.body.error.code)
})

test('a cursor that is nested too deeply to be written is told as null', async () => {
  const answer = await service.call(frameOf(`{"cursor":${'['.repeat(20_000)}${']'.repeat(20_000)}}`))
  expect(answer.body.error).toMatchObject({ code: -32602, data: { cursor: null } })
})

test('every byte that is not UTF-8 makes a body no JSON', async () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]]) {
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Uint8Array.from(bytes),
      Buffer.from('"}'),
    ])
    expect((await service.call('', {}, { body })).body.error.code).toBe(-32700)
  }
})

/** Sends the lines of a head and a body over a socket of its own. */
function raw(lines: string[], body = '') {
  return sendRaw(service.url, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`, body)
}

const listFrame = `{"jsonrpc":"2.0","id":1,"method":"${listMethod}"}`
const head = (target: string, ...more: string[]) => [
  `POST ${target} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${listFrame.length}`,
  `Authorization: ${authorization}`,
  ...more,
]

test.each([
  ['/rpc', 200],
  ['/rpc?x=%', 200],
  ['http://evil.test/rpc', 200],
  ['http://user:pass@evil.test:1/rpc', 400],
  ['//evil.test/rpc', 404],
  ['/../rpc', 200],
  ['/x/../rpc', 200],
  ['/rpc/..', 404],
  ['/rpc%00', 404],
  ['/rpc%2f', 404],
  ['/%', 404],
  ['/%ff', 404],
  ['/%E6%9D%B1', 404],
  ['/\xe6\x9d\xb1', 400],
  ['http://[::1', 400],
  ['*', 400],
  ['rpc', 400],
  ['/files/acme/bob', 404],
])('the target %s is answered (A13)', async (target, status) => {
  expect(statusOf(await raw(head(target), listFrame))).toBe(status)
})

test.each(['TRACE', 'PROPFIND', 'SEARCH', 'LOCK'])('%s is 405 on /rpc and echoes nothing', async (method) => {
  const answer = await raw([`${method} /rpc HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`])
  expect(statusOf(answer)).toBe(405)
  expect(answer).toMatch(/\r\nallow: POST\r\n/i)
  expect(answer).not.toContain(authorization)
})

test.each([
  ['a header name with a space', ['X Y: z']],
  ['a header without a colon', ['nothing']],
  ['an empty header name', [': x']],
  ['a NUL in a header', ['X-Y: a\0b']],
  ['two lengths', ['Content-Length: 3']],
  ['a length and chunks', ['Transfer-Encoding: chunked']],
  ['a length that is no number', ['Content-Length: x']],
  ['a folded header', ['X-Y: a', ' b']],
])('%s is 400 (A13)', async (_, lines) => {
  expect(statusOf(await raw(head('/rpc', ...lines), listFrame))).toBe(400)
})

test.each([
  ['bytes above 127 in a value', ['X-Y: \xe6\x9d\xb1']],
  ['every visible character in a name', ["!#$%&'*+-.^_`|~09az: x"]],
  ['a hundred cookies', Array.from({ length: 100 }, (_, i) => `Cookie: c${i}=x`)],
  ['hop-by-hop headers', ['TE: trailers', 'Upgrade: h2c', 'Expect: 100-continue']],
  ['claims of another host', ['X-Forwarded-Host: evil.test', 'X-Original-URL: /admin', 'Forwarded: for=1']],
  ['another method', ['X-HTTP-Method-Override: DELETE']],
])('%s do no harm (A13)', async (_, lines) => {
  const answer = await raw(head('/rpc', ...lines), listFrame)
  expect(answer).toContain('"result":{"resources":[]}')
})

test('headers of more than 16 KiB are 431', async () => {
  expect(statusOf(await raw(head('/rpc', `X-Y: ${'a'.repeat(20_000)}`), listFrame))).toBe(431)
})

test('a second authorization is refused, whichever comes first', async () => {
  for (const other of ['Bearer x', 'Basic x', authorization]) {
    const answer = await raw(head('/rpc', `Authorization: ${other}`), listFrame)
    expect([400, 401]).toContain(statusOf(answer))
  }
})

test('no HTTP at all is 400', async () => {
  expect(statusOf(await sendRaw(service.url, 'hello\r\n\r\n'))).toBe(400)
  expect(statusOf(await sendRaw(service.url, Uint8Array.of(0x16, 3, 1, 0, 0xa5, 1, 0)))).toBe(400)
})

/** A body of so many MiB in chunks, without a length. */
function* chunked(mebibytes: number) {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')])
  for (let i = 0; i < mebibytes * 16; i += 1) yield chunk
  yield Buffer.from('0\r\n\r\n')
}

test('a chunked body of 20 MB without a length is 413, and the next request works (A12)', async () => {
  const lines = head('/rpc').filter((line) => !line.startsWith('Content-Length'))
  const answer = await sendRaw(
    service.url,
    `${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`,
    ...chunked(20),
    `${head('/rpc', 'Connection: close').join('\r\n')}\r\n\r\n${listFrame}`,
  )
  expect(answer.match(/HTTP\/1\.1 \d+/g)?.map(statusOf)).toEqual([413, 200])
  expect(answer).toContain('"id":null,"error":{"code":-32600')
  expect(answer).toContain('"result":{"resources":[]}')
})

test('a body that never ends is answered while it still comes (A12)', async () => {
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      controller.enqueue(Buffer.alloc(16_384, ' '))
    },
  })
  const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' }
  expect((await service.call('', {}, init)).status).toBe(413)
})

test('bytes beyond the announced length are taken for a request of their own, and refused (A12)', async () => {
  const answer = await sendRaw(
    service.url,
    `${head('/rpc').join('\r\n')}\r\n\r\n${listFrame}   not a request\r\n\r\n`,
  )
  expect(
    answer
      .match(/HTTP\/1\.1 \d+/g)
      ?.map(statusOf)
      .at(-1),
  ).toBe(400)
})

test('a body that ends early is no request, and harms no other', async () => {
  const lines = head('/rpc').map((line) => line.replace(`: ${listFrame.length}`, ': 500'))
  const { port } = new URL(service.url)
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n${listFrame}`, () => socket.destroy())
    })
    socket.on('close', () => resolve())
  })
})

test('two requests sent at once are answered in order', async () => {
  const first = `${head('/rpc').join('\r\n')}\r\n\r\n${listFrame}`
  const second = `${head('/rpc', 'Connection: close').join('\r\n')}\r\n\r\n${listFrame.replace('"id":1', '"id":2')}`
  const answer = await sendRaw(service.url, first + second)
  expect(answer.indexOf('"id":1')).toBeGreaterThan(0)
  expect(answer.indexOf('"id":2')).toBeGreaterThan(answer.indexOf('"id":1'))
})

test('HEAD, OPTIONS, unknown paths and refusals end at once on one connection (A03, A04)', async () => {
  const request = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n`
  const lines = [
    'HEAD /healthz',
    'OPTIONS /rpc',
    'GET /nowhere',
    'POST /rpc',
    'HEAD /rpc',
    'DELETE /capability',
  ]
  const requests = lines.map(request).join('\r\n')
  const answer = await sendRaw(service.url, `${requests}Connection: close\r\n\r\n`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)?.map(statusOf)).toEqual([200, 405, 404, 401, 405, 405])
})
