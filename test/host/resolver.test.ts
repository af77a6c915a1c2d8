import { AsyncLocalStorage } from 'node:async_hooks'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createHostResourcesResolver,
  type HostResourcesResolver,
  noRateLimit,
} from '../../lib/host/resolver.ts'
import { type Service, startService } from '../harness.ts'
import { clientOf } from './rig.ts'

const context = { workspaceId: 'acme', bundleId: 'reports' }
const running = new AsyncLocalStorage<string>()
let service: Service
let resolver: HostResourcesResolver
let uri: string

beforeAll(async () => {
  service = await startService()
  resolver = createHostResourcesResolver({
    resolver: clientOf(service),
    currentUser: () => running.getStore(),
  })
  uri = `files://${(await service.put('a,b\n', { name: 'q3.csv', tags: ['q3'] })).fileId}`
})

afterAll(() => service?.close())

const asAna = <T>(run: () => Promise<T>) => running.run('ana', run)
const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a read and a list give what the host expects of its own resolver', async () => {
  expect(await asAna(() => resolver.read(uri, context))).toEqual({
    contents: [{ uri, mimeType: 'text/csv', text: 'a,b\n' }],
  })
  const resources = [{ uri, name: 'q3.csv', mimeType: 'text/csv', size: 4 }]
  expect(await asAna(() => resolver.list({}, context))).toEqual({ resources })
  expect(await asAna(() => resolver.list({ cursor: undefined, filter: { tags: ['q3'] } }, context))).toEqual({
    resources,
  })
  expect(await asAna(() => resolver.list({ filter: { tags: ['q4'] } }, context))).toEqual({ resources: [] })
})

test('what is refused rejects with McpError, its number and its data', async () => {
  const missing = 'files://fl_000000000000000000000000'
  const rejected = [
    await asAna(() => thrown(resolver.read(missing, context))),
    await asAna(() => thrown(resolver.read('https://x', context))),
    await asAna(() => thrown(resolver.list({ cursor: 'next' }, context))),
    await asAna(() => thrown(resolver.list({ filter: { tags: 'q3' } }, context))),
  ]
  for (const error of rejected) expect(error).toBeInstanceOf(McpError)
  expect(rejected).toMatchObject([
    { code: -32002, data: { uri: missing }, transport: false },
    { code: -32602, data: { uri: 'https://x', supported: ['files'] } },
    { code: -32602, data: { cursor: 'next' } },
    { code: -32602, data: { receivedType: 'string' } },
  ])
})

test('the workspace and the user come from the host', async () => {
  const other = { ...context, workspaceId: 'other' }
  expect(await asAna(() => thrown(resolver.read(uri, other)))).toMatchObject({ code: -32002 })
  expect(await running.run('ben', () => thrown(resolver.read(uri, context)))).toMatchObject({ code: -32002 })
})

test('without a current user, and when the service is down, it is McpError marked as transport', async () => {
  const nobody = await thrown(resolver.read(uri, context))
  expect(nobody).toBeInstanceOf(McpError)
  expect(nobody).toMatchObject({ code: -32603, transport: true })
  const down = createHostResourcesResolver({
    resolver: clientOf(service, 'http://127.0.0.1:9'),
    currentUser: () => 'ana',
  })
  expect(await thrown(down.read(uri, context))).toMatchObject({ code: -32603, transport: true })
})

test('the rate limit lets every call through', () => {
  expect(noRateLimit.check('acme', 'reports')).toBeUndefined()
})
