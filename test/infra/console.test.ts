/**
 * What the dev service offers beside the resolver, through its front door: who gets in, and what the host's side does.
 */
import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDynamo } from '../../functions/wiring.ts'
import { createConsole } from '../../infra/console/app.ts'
import { tokensAt } from '../../infra/console/level.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
let app: Hono
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '10' })
  const { stores, signer, config } = service
  const sampleCaller = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }
  app = createConsole({ stores, dynamo: createDynamo(), signer, config, sampleCaller })
})
afterAll(() => service.close())

const own = { host: '127.0.0.1:8787', 'x-file-console': '1' }

async function api(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const init = { method, headers: { ...own, ...headers }, ...(body === undefined ? {} : { body }) }
  const response = await app.request(`/console/api${path}`, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

async function upload(query: string, bytes: string) {
  const { body } = await api('PUT', `/files?${query}`, bytes, { 'content-length': String(bytes.length) })
  return body
}

describe('who gets in', () => {
  test.each([
    ['this address', {}, 200],
    ['this address by name', { host: 'localhost:8787' }, 200],
    ['IPv6', { host: '[::1]:8787' }, 200],
    ['its own page', { origin: 'http://127.0.0.1:8787', 'sec-fetch-site': 'same-origin' }, 200],
    ['a name that was rebound to this machine', { host: 'evil.example:8787' }, 403],
    ['a name that begins like it', { host: '127.0.0.1.evil.example' }, 403],
    ['no host', { host: '' }, 403],
    ['a foreign page', { origin: 'https://evil.example' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:9999' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a foreign page without Origin', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
  ])('%s', async (_, headers, status) => {
    expect((await api('GET', '/context', undefined, headers)).status).toBe(status)
  })

  test('the API wants its header, and no preflight allows it to others', async () => {
    const bare = await app.request('/console/api/token', {
      method: 'POST',
      headers: { host: own.host },
      body: '{}',
    })
    expect(bare.status).toBe(403)
    const preflight = await app.request('/console/api/token', {
      method: 'OPTIONS',
      headers: { host: own.host, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(null)
  })

  test('a link from elsewhere opens the page', async () => {
    const headers = { host: own.host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await app.request('/console', { headers })).status).toBe(200)
  })
})

test('pages load nothing from elsewhere and cannot be framed', async () => {
  for (const path of ['/console', '/docs', '/guide/README.md']) {
    const response = await app.request(path, { headers: own })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; frame-src blob:; object-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(await response.text()).not.toMatch(/<(?!a )[^>]+(src|href)="(https?:)?\/\//)
  }
})

test('the script is one small module', async () => {
  const response = await app.request('/console/main.js', { headers: own })
  expect(response.headers.get('content-type')).toBe('text/javascript')
  expect((await response.arrayBuffer()).byteLength).toBeLessThan(100_000)
})

test('documents are served, and nothing else of the repository', async () => {
  const status = async (path: string) => (await app.request(`/guide/${path}`, { headers: own })).status
  expect(await status('docs/errors.md')).toBe(200)
  expect(await status('docs/decisions/0001-listing-partitions.md')).toBe(200)
  for (const path of [
    'package.json',
    'docs/../package.json',
    'docs/..%2Fpackage.json',
    'docs/',
    '.env',
    'docs/.x.md',
  ]) {
    expect([path, await status(path)]).toEqual([path, 404])
  }
})

test('an upload whose length is unknown is refused, and not stored as an empty file', async () => {
  const query = 'workspace=acme&owner=dora&name=a.txt'
  expect(await api('PUT', `/files?${query}`, 'hello')).toEqual({
    status: 411,
    body: { error: 'An upload must say in content-length how many bytes it has.' },
  })
  expect((await service.list(undefined, { user: 'dora' })).body.result).toEqual({ resources: [] })
})

test('every explanation on the page has its place in the documentation', async () => {
  const source = await readFile('infra/console/page/explain.ts', 'utf8')
  const anchors = Array.from(source.matchAll(/anchor: '([^']+)'/g), ([, anchor]) => anchor)
  const html = await (await app.request('/guide/docs/errors.md', { headers: own })).text()
  expect(anchors.length).toBe(11)
  for (const anchor of anchors) expect(html).toContain(`id="${anchor}"`)
})

describe('the host’s side', () => {
  test('a token is one that the resolver accepts', async () => {
    const caller = JSON.stringify({ workspace: 'tokens', user: 'ana', server: 's' })
    const { body } = await api('POST', '/token', caller)
    expect(body.ttlSec).toBe(300)
    const frame = { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/list' }
    const answer = await service.call(frame, {}, { headers: { authorization: `Bearer ${body.token}` } })
    expect(answer.body).toEqual({ jsonrpc: '2.0', id: 1, result: { resources: [] } })
  })

  test('a file is stored, described, changed and deleted', async () => {
    const stored = await upload('workspace=w&owner=ana&name=a%20b.csv&tag=x&tag=y', 'a,b\n')
    expect(stored).toMatchObject({
      name: 'a b.csv',
      mimeType: 'text/csv',
      size: 4,
      owner: 'ana',
      visibility: 'private',
      readers: [],
      tags: ['x', 'y'],
    })
    const id = stored.uri.slice('files://'.length)
    const change = async (name: string, ...values: string[]) =>
      (await api('POST', `/files/${id}/${name}`, JSON.stringify({ workspace: 'w', values }))).body
    expect((await change('tag', 'z')).tags).toEqual(['x', 'y', 'z'])
    expect((await change('untag', 'x', 'y')).tags).toEqual(['z'])
    expect((await change('share', 'ben')).readers).toEqual(['ben'])
    expect((await change('unshare', 'ben')).readers).toEqual([])
    expect((await change('share')).visibility).toBe('shared')
    expect((await change('unshare')).visibility).toBe('private')
    expect((await change('rename', 'c.csv')).name).toBe('c.csv')
    const ids = JSON.stringify({ workspace: 'w', ids: [id, 'fl_ffffffffffffffffffffffff'] })
    expect((await api('POST', '/describe', ids)).body).toHaveLength(1)
    expect((await api('DELETE', `/files/${id}?workspace=w`)).status).toBe(204)
    expect(await api('DELETE', `/files/${id}?workspace=w`)).toEqual({
      status: 404,
      body: { error: `Resource not found: workspace "w" has no file ${id}` },
    })
  })

  test('an empty file and a shared one can be stored', async () => {
    expect(await upload('workspace=w&owner=ana&name=empty.txt', '')).toMatchObject({ size: 0 })
    expect(await upload('workspace=w&owner=ana&name=s.txt&shared=', 'x')).toMatchObject({
      visibility: 'shared',
    })
  })

  test('what breaks a limit is refused with its reason', async () => {
    const long = 'x'.repeat(300)
    expect(await upload(`workspace=w&owner=ana&name=a&tag=${long}`, 'x')).toEqual({
      error: `a tag must be 1 to 256 bytes of well-formed Unicode, and "${'x'.repeat(40)}" is not`,
    })
    expect((await api('POST', '/token', '{"workspace":1}')).status).toBe(400)
    expect((await api('POST', '/token', 'x')).status).toBe(400)
    expect((await api('GET', '/nothing')).status).toBe(404)
  })

  test('a token bucket is read without taking from it', async () => {
    const level = async () => (await api('GET', '/level?workspace=drained&server=reports')).body
    expect(await level()).toEqual({ perSecond: 1, burst: 10, tokens: 10 })
    for (let i = 0; i < 10; i++) await service.list(undefined, { workspace: 'drained' })
    expect((await level()).tokens).toBeLessThan(10)
  })
})

test.each([
  [0, 10],
  [1_000_000_000_000, 10],
  [1_000_001_000_000, 9],
  [1_000_000_500_000, 9],
  [1_000_010_000_000, 0],
  [1_000_012_000_000, 0],
])('a bucket that is full at %i µs holds %i tokens at 10⁹ ms', (tatUs, tokens) => {
  expect(tokensAt(tatUs, { perSecond: 1, burst: 10 }, 1_000_000_000)).toBe(tokens)
})
