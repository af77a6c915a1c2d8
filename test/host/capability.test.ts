import { expect, test } from 'vitest'
import { createCapabilitySource, defaultCapability, lowered } from '../../lib/host/capability.ts'
import { createFileResolverClient } from '../../lib/host/client.ts'
import { startService } from '../harness.ts'

const of = (maxSize: number) => ({ ...defaultCapability, read: { enabled: true, range: false, maxSize } })

test("the service's own capability is given", async () => {
  const service = await startService({ MAX_READ_BYTES: '5000' })
  const capability = await createFileResolverClient({ url: service.url, token: () => '' }).capability()
  await service.close()
  expect(capability).toEqual({
    read: { enabled: true, range: false, maxSize: 5000 },
    list: { enabled: true },
    write: { enabled: false },
    schemes: ['files'],
  })
})

test('a service that is down gives the configured capability, later the last known one', async () => {
  const clock = { nowMs: 0 }
  const answers: (object | Error)[] = [new Error('down'), of(7), new Error('down')]
  const ask = async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const now = () => clock.nowMs
  const capability = createCapabilitySource({ ask, configured: of(3), freshMs: 10, now })
  expect((await capability()).read.maxSize).toBe(3)
  expect((await capability()).read.maxSize).toBe(7)
  clock.nowMs = 10
  expect((await capability()).read.maxSize).toBe(7)
})

test('what is not configured is the seed page', async () => {
  const ask = () => Promise.reject(new Error('down'))
  expect(await createCapabilitySource({ ask, configured: undefined, now: () => 0 })()).toEqual({
    read: { enabled: true, range: false, maxSize: 10_485_760 },
    list: { enabled: true },
    write: { enabled: false },
    schemes: ['files'],
  })
})

test.each([[null], ['x'], [{}], [{ ...of(5), read: { enabled: true } }], [{ ...of(5), schemes: 'files' }]])(
  'an answer like %j does not count',
  async (answer) => {
    const ask = () => Promise.resolve(answer)
    const capability = createCapabilitySource({ ask, configured: of(3), now: () => 0 })
    expect((await capability()).read.maxSize).toBe(3)
  },
)

test('many connections that start together ask once', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    return of(9)
  }
  const capability = createCapabilitySource({ ask, configured: undefined, now: () => 0 })
  await Promise.all([capability(), capability(), capability()])
  await capability()
  expect(asked).toBe(1)
})

test('a connection advertises the smaller limit', () => {
  expect(lowered(of(10), 4)).toEqual(of(4))
  expect(lowered(of(10), 40)).toEqual(of(10))
  expect(lowered(of(10), undefined)).toEqual(of(10))
})

test('a client gives its configured capability while the service is down, and is not kept waiting', async () => {
  const client = createFileResolverClient({ url: 'http://127.0.0.1:9', token: () => '', capability: of(11) })
  expect((await client.capability()).read.maxSize).toBe(11)
})

test('a redirect of the capability is not followed', async () => {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(`${String(input)} ${init?.redirect}`)
    return new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/' } })
  }
  const client = createFileResolverClient({
    url: 'https://files.test/',
    token: () => '',
    fetch,
    capability: of(11),
  })
  expect((await client.capability()).read.maxSize).toBe(11)
  expect(asked).toEqual(['https://files.test/capability manual'])
})
