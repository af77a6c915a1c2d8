/**
 * Contract 3: a file that is missing, in another workspace, private to another user, deleted, not stored yet, or named
 * by no id at all cannot be told apart – not by the bytes, not by the headers, not by what storage is asked.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeFile } from '../../lib/remove.ts'
import { announceFile } from '../../lib/store.ts'
import { type ProxiedService, startProxiedService } from '../proxy.ts'

let proxied: ProxiedService
const uris: [string, string][] = [
  ['missing', 'files://fl_000000000000000000000000'],
  ['in another workspace', 'files://fl_000000000000000000000001'],
  ['private to another user', 'files://fl_000000000000000000000002'],
  ['deleted', 'files://fl_000000000000000000000003'],
  ['announced and not stored', 'files://fl_000000000000000000000004'],
  ['too large and private', 'files://fl_000000000000000000000005'],
  ['malformed', 'files://fl_00000000000000000000000Z'],
  ['a path', 'files://fl_0000000000000000000/../x'],
  ['percent-escaped', 'files://%66%6c_00000000000000000000'],
]

beforeAll(async () => {
  proxied = await startProxiedService()
  const { put, stores } = proxied.service
  const fileId = (n: number) => `fl_00000000000000000000000${n}`
  await put('x', { fileId: fileId(1), workspaceId: 'other', shared: true })
  await put('x', { fileId: fileId(2), ownerId: 'bob' })
  await put('x', { fileId: fileId(3) })
  await removeFile(stores, { workspaceId: 'acme', fileId: fileId(3) })
  await announceFile(stores, { workspaceId: 'acme', ownerId: 'ana', name: 'x', fileId: fileId(4) })
  await put(Buffer.alloc(10_485_761), { fileId: fileId(5), ownerId: 'bob' })
  await proxied.service.read('files://x')
})
afterAll(() => proxied.close())

/** What the front adds for the connection: it differs between fronts, not between files. */
const framing = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

test.each(uris)('a file that is %s is -32002 in the very same bytes and headers', async (_, uri) => {
  const answer = await proxied.service.read(uri)
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found","data":{"uri":"${uri}"}}}`,
  )
  const headers = [...answer.headers].filter(([name]) => !framing.includes(name))
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  })
})

test.each(uris)('a file that is %s costs a token and one look-up, and no call to S3', async (_, uri) => {
  const calls = await proxied.callsOf(() => proxied.service.read(uri))
  expect(calls.sort()).toEqual(['GetItem', 'UpdateItem'])
})

test('a read that succeeds costs a token, one look-up and one object', async () => {
  const { fileId } = await proxied.service.put('x')
  const calls = await proxied.callsOf(() => proxied.service.read(`files://${fileId}`))
  expect(calls.slice(0, 2).sort()).toEqual(['GetItem', 'UpdateItem'])
  expect(calls.slice(2)).toEqual(['GET object'])
})

test('a file that is too large costs no call to S3 (B16)', async () => {
  const { fileId } = await proxied.service.put(Buffer.alloc(10_485_761))
  const calls = await proxied.callsOf(() => proxied.service.read(`files://${fileId}`))
  expect(calls.sort()).toEqual(['GetItem', 'UpdateItem'])
})

test.each([
  'files://fl_000000000000000000000002/',
  'files://fl_000000000000000000000002/..',
  'files://./fl_000000000000000000000002',
  'files://acme/fl_000000000000000000000002',
  'files:///fl_000000000000000000000002',
  'files://fl_000000000000000000000002?x=1',
  'files://fl_000000000000000000000002#x',
  'files://fl_000000000000000000000002 ',
  'files://fl_000000000000000000000002\n',
  'files://fl_000000000000000000000002\u0000',
  'files://FL_000000000000000000000002',
  'files://fl_00000000000000000000000A',
  'files://fl_0000000000000000000000020',
  'files://fl_00000000000000000000002',
  'files://fl_%300000000000000000000002',
  'files://fl__00000000',
  'files://fl_a_0000000',
  'files://fl_A_00000000',
  'files://fl_a_0000000G',
  `files://fl_${'a'.repeat(33)}_00000000`,
  'files://fl_a_b_00000000',
  'files://none',
  'files://../../etc/passwd',
  'files://..',
  'files:////',
  'files://\ud800',
  'files://東京',
])('%j names no file, even to its owner, and reaches no S3 (B10)', async (uri) => {
  const calls = await proxied.callsOf(async () => {
    const answer = await proxied.service.read(uri, { user: 'bob' })
    expect(answer.status).toBe(200)
    expect(answer.body.error).toEqual({ code: -32002, message: 'Resource not found', data: { uri } })
  })
  expect(calls.sort()).toEqual(['GetItem', 'UpdateItem'])
})
