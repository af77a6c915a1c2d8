/**
 * Large files through each SDK and transport, and what happens where a reader takes less.
 */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { httpCeilings, stdioCeilings } from '../../lib/host/ceilings.ts'
import { type Service, startService } from '../harness.ts'
import { clientOf, connect, optionsOf, pairs, type Rig } from './rig.ts'

const readMethod = 'ai.nimblebrain/resources/read'
const defaultStdioBytes = 10 * 1024 ** 2
const defaultHttpBytes = 4 * 1024 ** 2

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let service: Service

const stored = new Map<string, Promise<{ uri: string; bytes: Buffer }>>()

/** A file of that many hexadecimal digits, stored once. */
function put(size: number, name: string): Promise<{ uri: string; bytes: Buffer }> {
  const known = stored.get(name + size)
  if (known) return known
  const bytes = Buffer.from(randomBytes(Math.ceil(size / 2)).toString('hex')).subarray(0, size)
  const storing = service.put(bytes, { name }).then(({ fileId }) => ({ uri: `files://${fileId}`, bytes }))
  stored.set(name + size, storing)
  return storing
}

/** A string as the test servers report it. */
function digest(value: string): string {
  return `${value.length} ${createHash('sha256').update(value).digest('hex')}`
}

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service?.close())

describe.each(pairs)('SDK %i over %s, with a reader that takes enough', (generation, kind) => {
  let rig: Rig

  beforeAll(async () => {
    rig = await connect(generation, kind, optionsOf(clientOf(service)))
  })

  afterAll(() => rig?.close())

  test('a text of 10 MiB arrives whole', async () => {
    const { uri, bytes } = await put(10_485_760, 'large.txt')
    const { result } = await rig.ask(readMethod, { uri })
    expect(result).toEqual({ contents: [{ uri, mimeType: 'text/plain', text: digest(bytes.toString()) }] })
  })

  test('a blob of 7 MiB arrives whole', async () => {
    const { uri, bytes } = await put(7_340_032, 'large.pdf')
    const { result } = await rig.ask(readMethod, { uri })
    const blob = digest(bytes.toString('base64'))
    expect(result).toEqual({ contents: [{ uri, mimeType: 'application/pdf', blob }] })
  })
})

describe.each([1, 2] as const)(
  'SDK %i over stdio, with the reader that the SDK has by default',
  (generation) => {
    let rig: Rig

    beforeAll(async () => {
      rig = await connect(generation, 'stdio', optionsOf(clientOf(service), stdioCeilings), defaultStdioBytes)
    })

    afterAll(() => rig?.close())

    test('the smaller limit is advertised', async () => {
      const { capability } = await rig.ask('ai.nimblebrain/resources/list')
      expect(capability).toMatchObject({ read: { enabled: true, range: false, maxSize: 7_800_000 } })
    })

    test('a blob of 7.4 MiB arrives', async () => {
      const { uri, bytes } = await put(7_759_462, 'most.pdf')
      const { result } = await rig.ask(readMethod, { uri })
      const blob = digest(bytes.toString('base64'))
      expect(result).toEqual({ contents: [{ uri, mimeType: 'application/pdf', blob }] })
    })

    test.each([7_969_178, 10_485_760])('a blob of %i bytes is refused before it is opened', async (size) => {
      const { uri } = await put(size, 'over.pdf')
      const { error } = await rig.ask(readMethod, { uri })
      expect(error).toMatchObject({ code: -32005, data: { uri, size, maxSize: 7_800_000 } })
    })

    test('a text whose escapes exceed the frame is refused, and the connection lives on', async () => {
      const { fileId } = await service.put('\u0001'.repeat(2_000_000), { name: 'escapes.txt' })
      const uri = `files://${fileId}`
      const { error } = await rig.ask(readMethod, { uri })
      expect(error).toMatchObject({ code: -32005, data: { uri, maxSize: 10_420_224 } })
      expect(error?.data?.size).toBeGreaterThan(12_000_000)
      const small = await service.put('still here', { name: 'small.txt' })
      const { result } = await rig.ask(readMethod, { uri: `files://${small.fileId}` })
      expect(result).toMatchObject({ contents: [{ text: 'still here' }] })
    })

    test('ten large reads at once keep the connection', async () => {
      const { uri, bytes } = await put(2_000_000, 'often.pdf')
      const reads = await Promise.all(Array.from({ length: 10 }, () => rig.ask(readMethod, { uri })))
      const blob = digest(bytes.toString('base64'))
      for (const { result } of reads) expect(result).toMatchObject({ contents: [{ uri, blob }] })
    })
  },
)

describe.each([1, 2] as const)(
  'SDK %i over HTTP, with the reader that the SDK has by default',
  (generation) => {
    let rig: Rig

    beforeAll(async () => {
      rig = await connect(generation, 'http', optionsOf(clientOf(service), httpCeilings), defaultHttpBytes)
    })

    afterAll(() => rig?.close())

    test('the largest blob that the limit allows arrives', async () => {
      const { uri, bytes } = await put(3_100_000, 'most.pdf')
      const { result } = await rig.ask(readMethod, { uri })
      expect(result).toMatchObject({ contents: [{ uri, blob: digest(bytes.toString('base64')) }] })
    })

    test('one byte more is refused', async () => {
      const { uri } = await put(3_100_001, 'over.pdf')
      const { error } = await rig.ask(readMethod, { uri })
      expect(error).toMatchObject({ code: -32005, data: { uri, size: 3_100_001, maxSize: 3_100_000 } })
    })
  },
)

describe.each([1, 2] as const)(
  'SDK %i over HTTP, when the host does not know what the reader takes',
  (generation) => {
    test('an answer that the server refuses becomes -32005 at once, and the connection lives on', async () => {
      const rig = await connect(generation, 'http', optionsOf(clientOf(service)), defaultHttpBytes)
      const { uri } = await put(4_000_000, 'over.pdf')
      const over = await rig.ask(readMethod, { uri })
      const small = await put(3_000_000, 'under.pdf')
      const under = await rig.ask(readMethod, { uri: small.uri })
      await rig.close()
      expect(over.error).toMatchObject({ code: -32005, data: { uri, maxSize: 4_194_304 } })
      expect(over.error?.data?.size).toBeGreaterThan(5_333_336)
      expect(under.result).toMatchObject({ contents: [{ uri: small.uri }] })
    })
  },
)
