/**
 * Servers in Python, on nimblebrain-bundle-sdk, against the real service: what they see of the capability, of files and
 * of every row of the error table.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpCeilings } from '../../lib/host/ceilings.ts'
import { createTurns } from '../../lib/host/turns.ts'
import { type Service, startService } from '../harness.ts'
import { type Front, startFront } from '../host/faults.ts'
import { clientOf, optionsOf } from '../host/rig.ts'
import { connectPython, interpreter, type PythonRig } from './rig.ts'

const missing = 'files://fl_000000000000000000000000'
const readMethod = 'ai.nimblebrain/resources/read'
const listMethod = 'ai.nimblebrain/resources/list'

const pythons = { '0.1': await interpreter('0.1'), '0.2': await interpreter('0.2') }

let service: Service
let throttled: Service
let front: Front
let csv: string
let bens: string

beforeAll(async () => {
  service = await startService()
  front = await startFront(service.url)
  csv = `files://${(await service.put('region,revenue\n', { name: 'q3.csv', tags: ['q3'] })).fileId}`
  bens = `files://${(await service.put('private', { ownerId: 'ben' })).fileId}`
  await service.read(csv) // its clients take their endpoints from the environment when first used
  throttled = await startService({
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '1',
    MAX_READ_BYTES: '1000',
  })
})

afterAll(async () => {
  await front?.close()
  await service?.close()
  await throttled?.close()
})

const digest = (value: string) => `${value.length} ${createHash('sha256').update(value).digest('hex')}`

describe.each([
  ['0.1', 'stdio', 1],
  ['0.1', 'http', 2],
  ['0.2', 'stdio', 2],
  ['0.2', 'http', 1],
] as const)('bundle SDK %s over %s, host on SDK %i', (set, kind, generation) => {
  const python = pythons[set] ?? ''
  const pythonTest = test.skipIf(python === '')
  let rig: PythonRig

  beforeAll(async () => {
    if (python !== '')
      rig = await connectPython(python, generation, kind, optionsOf(clientOf(service, front.url)))
  })

  afterAll(() => rig?.close())

  pythonTest('the capability is there: read, list and the scheme', async () => {
    expect(await rig.call('probe')).toEqual({
      result: { available: true, list: true, files: true, https: false },
    })
  })

  pythonTest('a file is read, and found by type and tag', async () => {
    expect(await rig.call('read', { uri: csv })).toMatchObject({
      result: { contents: [{ uri: csv, mimeType: 'text/csv', text: 'region,revenue\n' }] },
    })
    const resources = [{ uri: csv, name: 'q3.csv', mimeType: 'text/csv', size: 15 }]
    const found = await rig.call('listing', { scheme: 'files', mime_type: 'text/csv', tags: ['q3'] })
    expect(found).toMatchObject({ result: { resources } })
    expect((await rig.call('listing', { tags: ['nothing'] })).result?.resources).toEqual([])
    expect((await rig.call('listing')).result?.resources).toContainEqual(resources[0])
  })

  pythonTest('each refusal arrives with its number and data', async () => {
    const list = (filter: unknown) => rig.call('ask', { method: listMethod, params: { _meta: { filter } } })
    const seen = [
      await rig.call('read', { uri: missing }),
      await rig.call('read', { uri: bens }),
      await rig.call('read', { uri: 'https://x/y' }),
      await rig.call('ask', { method: readMethod, params: { uri: 5 } }),
      await rig.call('ask', { method: listMethod, params: { cursor: 'next' } }),
      await rig.call('listing', { scheme: 'https' }),
      await list({ tags: 'q3' }),
      await list({ owner: 'ana' }),
      await list([]),
    ]
    expect(seen.map(({ error }) => [error?.code, error?.data ?? null])).toEqual([
      [-32002, { uri: missing }],
      [-32002, { uri: bens }],
      [-32602, { uri: 'https://x/y', supported: ['files'] }],
      [-32602, null],
      [-32602, { cursor: 'next' }],
      [-32602, { scheme: 'https', supported: ['files'] }],
      [-32602, { receivedType: 'string' }],
      [-32602, { unknown: ['owner'], supported: ['scheme', 'mimeType', 'tags'] }],
      [-32602, { receivedType: 'array' }],
    ])
    expect(seen[0]?.error?.message).toBe('Resource not found')
  })

  pythonTest('an unknown method is -32601', async () => {
    for (const method of ['ai.nimblebrain/resources/write', 'AI.nimblebrain/resources/read', '__proto__']) {
      expect((await rig.call('ask', { method, params: {} })).error).toMatchObject({ code: -32601 })
    }
  })

  pythonTest('an outage is -32603 without detail, and over at once', async () => {
    for (const fault of ['unavailable', 'cut', 'refuse', 'redirect'] as const) {
      Object.assign(front, { faults: [fault], retryAfter: undefined })
      const { error } = await rig.call('read', { uri: csv })
      front.faults = ['pass']
      expect(error).toEqual({ code: -32603, message: 'Internal error', data: null })
    }
  })

  pythonTest('a file over the limit is -32005, an empty bucket -32004', async () => {
    const large = `files://${(await throttled.put('x'.repeat(1001), { name: 'large.txt' })).fileId}`
    const serverId = `python-${set}-${kind}`
    const limited = await connectPython(
      python,
      generation,
      kind,
      optionsOf(clientOf(throttled), { serverId }),
    )
    const first = await limited.call('read', { uri: large })
    const second = await limited.call('read', { uri: large })
    await limited.close()
    expect(first.error).toMatchObject({ code: -32005, data: { uri: large, size: 1001, maxSize: 1000 } })
    expect(second.error?.code).toBe(-32004)
    expect(second.error?.data?.retryAfterMs).toBeTypeOf('number')
  })

  pythonTest('a text of 10 MiB and a blob of 7 MiB arrive whole', async () => {
    const text = 'naïve\n'.repeat(1_497_965)
    const { fileId } = await service.put(text, { name: 'large.txt' })
    const roomyKind = kind === 'http' ? 'roomy' : kind
    const roomy = await connectPython(python, generation, roomyKind, optionsOf(clientOf(service)))
    const read = await roomy.call('read', { uri: `files://${fileId}` })
    expect(read.result).toMatchObject({ contents: [{ mimeType: 'text/plain', text: digest(text) }] })
    const bytes = Buffer.alloc(7_340_032, 'blob')
    const blob = await service.put(bytes, { name: 'large.pdf' })
    const { result } = await roomy.call('read', { uri: `files://${blob.fileId}` })
    await roomy.close()
    expect(result).toMatchObject({ contents: [{ blob: digest(bytes.toString('base64')) }] })
  })

  pythonTest('two users on one connection each read as themselves', async () => {
    const anas = `files://${(await service.put('for ana', { ownerId: 'ana' })).fileId}`
    const { run, currentUser } = createTurns()
    const shared = await connectPython(
      python,
      generation,
      kind,
      optionsOf(clientOf(service), { currentUser }),
    )
    const asked = Array.from({ length: 12 }, (_, i) => {
      const user = i % 2 === 0 ? 'ana' : 'ben'
      return run(user, async () => ({ user, seen: await shared.call('read', { uri: anas }) }))
    })
    const answers = await Promise.all(asked)
    await shared.close()
    for (const { user, seen } of answers) {
      if (user === 'ana') expect(seen.result).toMatchObject({ contents: [{ text: 'for ana' }] })
      else expect(seen.error).toMatchObject({ code: -32002 })
    }
  })
})

describe.each(['0.1', '0.2'] as const)('bundle SDK %s over HTTP as it comes', (set) => {
  const python = pythons[set] ?? ''

  test.skipIf(python === '')('what the reader does not take is -32005, told beforehand or not', async () => {
    const most = `files://${(await service.put(Buffer.alloc(3_100_000), { name: 'most.bin' })).fileId}`
    const over = `files://${(await service.put(Buffer.alloc(3_200_000), { name: 'over.bin' })).fileId}`
    const told = await connectPython(python, 1, 'http', optionsOf(clientOf(service), httpCeilings))
    const untold = await connectPython(python, 2, 'http', optionsOf(clientOf(service)))
    const seen = [await told.call('read', { uri: most }), await told.call('read', { uri: over })]
    const late = await untold.call('read', { uri: over })
    await told.close()
    await untold.close()
    expect(seen[0]?.result).toMatchObject({ contents: [{ uri: most }] })
    expect(seen[1]?.error).toMatchObject({
      code: -32005,
      data: { uri: over, size: 3_200_000, maxSize: 3_100_000 },
    })
    expect(late.error).toMatchObject({ code: -32005, data: { uri: over, maxSize: 4_194_304 } })
  })
})

describe.each(['0.1', '0.2'] as const)('bundle SDK %s over stateless HTTP', (set) => {
  const python = pythons[set] ?? ''

  test.skipIf(python === '')('a server learns at once that it cannot ask the host', async () => {
    const rig = await connectPython(python, 1, 'stateless', optionsOf(clientOf(service)))
    const offered = await rig.call('probe')
    const read = await rig.call('read', { uri: csv })
    await rig.close()
    expect(offered.result).toMatchObject({ available: false, list: false, files: false })
    expect(read.thrown).toEqual({ name: 'HostCapabilityMissing' })
  })
})
