/**
 * Storing: every limit refused before anything is written, ids that are taken, crashes in between, and races.
 */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ResolverError } from '../lib/errors.ts'
import type { FileItem } from '../lib/file.ts'
import { objectKey } from '../lib/keys.ts'
import { announceFile, type NewBytes, type NewFile, newFileId, storeFile } from '../lib/store.ts'
import { type Service, startService } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const bytes = Buffer.from('text')

async function store(input: Partial<NewFile>, content: NewBytes = bytes): Promise<FileItem> {
  return storeFile(service.stores, { workspaceId: 'acme', ownerId: 'ana', name: 'a.txt', ...input }, content)
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof ResolverError) return error.code
    throw error
  }
}

async function text(fileId: string, user = 'ana'): Promise<string> {
  const { body } = await service.read(`files://${fileId}`, { user })
  return body.error?.code ?? body.result.contents[0].text
}

describe('limits', () => {
  test.each<[string, Partial<NewFile>]>([
    ['1 audience × 49 facets', { tags: numbered(47, 't') }],
    ['7 audiences × 7 facets', { tags: numbered(5, 't'), readers: numbered(5, 'u'), shared: true }],
    [
      'readers named twice, and the owner among them',
      { readers: [...numbered(23, 'u'), ...numbered(23, 'u'), 'ana'] },
    ],
    ['a tag of 256 bytes', { tags: ['é'.repeat(128)] }],
    ['a tag that NFC makes short enough', { tags: ['e\u0301'.repeat(128)] }],
    ['tags of 4,096 bytes together', { tags: numbered(16, '').map((i) => i.padStart(256, '-')) }],
    ['a name whose key has 1,024 bytes', { name: 'n'.repeat(981), type: 'text/plain' }],
    ['a name of any Unicode', { type: 'text/plain', name: '../ä/ 😀"\\\n\0' }],
    ['identifiers of 128 visible characters', { workspaceId: 'acme', ownerId: '!'.repeat(127).concat('~') }],
    ['the legacy id', { fileId: 'fl_mb3k2x_0a1b2c3d' }],
  ])('%s is stored', async (_, input) => {
    const { fileId, ownerId } = await store(input)
    expect(await text(fileId, ownerId)).toBe('text')
  })

  test.each<[string, Partial<NewFile>, RegExp]>([
    ['1 audience × 50 facets', { tags: numbered(48, 't') }, /is 50, at most 49 fit/],
    ['25 audiences × 2 facets', { readers: numbered(24, 'u') }, /is 50, at most 49 fit/],
    ['8 audiences × 7 facets', { tags: numbered(5, 't'), readers: numbered(6, 'u'), shared: true }, /is 56/],
    ['a tag of 257 bytes', { tags: [`${'é'.repeat(128)}x`] }, /1 to 256 bytes/],
    ['an empty tag', { tags: ['a', ''] }, /a tag must be 1 to 256 bytes/],
    ['a tag with half a character', { tags: ['\ud83d'] }, /well-formed Unicode/],
    [
      'tags of 4,097 bytes',
      { tags: [...numbered(16, '').map((i) => i.padStart(256, '-')), 'x'] },
      /4097 bytes/,
    ],
    ['a name whose key has 1,025 bytes', { name: 'n'.repeat(982) }, /1025 bytes, at most 1024/],
    ['a name that is long once it is encoded', { name: 'é'.repeat(164) }, /at most 1024/],
    ['no name', { name: '' }, /not empty/],
    ['a name with half a character', { name: 'a\udc00' }, /well-formed/],
    ['an owner with a space', { ownerId: 'a b' }, /the owner must be 1 to 128 visible ASCII/],
    ['an owner of 129 characters', { ownerId: 'a'.repeat(129) }, /the owner must be/],
    ['no owner', { ownerId: '' }, /the owner must be/],
    ['an owner outside ASCII', { ownerId: 'josé' }, /the owner must be/],
    ['no workspace', { workspaceId: '' }, /the workspace must be/],
    ['a workspace with a line break', { workspaceId: 'acme\n' }, /the workspace must be/],
    ['a reader with a control character', { readers: ['bob', 'b\x7f'] }, /the reader must be/],
    ['an id in upper case', { fileId: 'fl_0123456789ABCDEF01234567' }, /a file id is fl_/],
    ['an id that is a path', { fileId: '../fl_0123456789abcdef01234567' }, /a file id is fl_/],
    ['a workspace with half a character', { workspaceId: 'a\ud83d' }, /the workspace must be/],
    ['a type outside ASCII', { type: 'text/plain; a="é"' }, /the type must be a media type/],
    ['a type with a line break', { type: 'text/plain\r\nx-amz-acl: public-read' }, /the type must be/],
    ['a type that ends in a line break', { type: 'text/plain\n' }, /the type must be/],
    ['a type that is none', { type: 'text' }, /a media type such as text\/plain/],
    ['an empty type', { type: '' }, /the type must be/],
    ['a type of 256 characters', { type: `text/${'x'.repeat(251)}` }, /at most 255 characters/],
    ['an encoding outside ASCII', { contentEncoding: 'gzíp' }, /the content encoding must be/],
    ['an encoding with a line break', { contentEncoding: 'gzip\r\n' }, /a name such as gzip/],
    ['an empty encoding', { contentEncoding: '' }, /the content encoding must be/],
    ['a time that is none', { createdAtMs: Number.NaN }, /the creation time must be/],
    ['a time without end', { createdAtMs: Number.POSITIVE_INFINITY }, /the creation time must be/],
    ['a time before 1970', { createdAtMs: -1 }, /from 1970 to 9999/],
    ['a time after 9999', { createdAtMs: 253_402_300_800_000 }, /from 1970 to 9999/],
  ])('%s is refused, and nothing is written', async (_, input, message) => {
    const { callsMade, stores } = watched(service)
    const file = { workspaceId: 'acme', ownerId: 'ana', name: 'a.txt', ...input }
    const stored = storeFile(stores, file, bytes)
    await expect(stored).rejects.toMatchObject({ code: 'limit', message: expect.stringMatching(message) })
    expect(callsMade).toEqual([])
  })

  test.each([5 * 1024 ** 3 + 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'a stream of %d bytes is refused before it begins',
    async (size) => {
      const { callsMade, stores } = watched(service)
      const file = { workspaceId: 'acme', ownerId: 'ana', name: 'a' }
      await expect(storeFile(stores, file, { stream: Readable.from([]), size })).rejects.toMatchObject({
        code: 'limit',
        message: 'the size must be a whole number of bytes, at most 5368709120',
      })
      expect(callsMade).toEqual([])
    },
  )

  test.each([
    ['the first moment', 0, '1970-01-01T00:00:00.000Z'],
    ['the last moment', 253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
    ['a fraction of a millisecond', 1.5, '1970-01-01T00:00:00.001Z'],
  ])('%s is a creation time', async (_, createdAtMs, createdAt) => {
    expect((await store({ createdAtMs })).createdAt).toBe(createdAt)
  })

  test.each<[string, string[], number, string]>([
    ['ends early', ['ab'], 3, 'the stream ended after 2 bytes, and 3 were announced'],
    ['is empty', [], 1, 'the stream ended after 0 bytes, and 1 were announced'],
    ['goes on', ['ab', 'cd'], 3, 'the stream has more than the 3 bytes that were announced'],
    [
      'goes on after as many bytes',
      ['ab', 'c', 'd'],
      3,
      'the stream has more than the 3 bytes that were announced',
    ],
    ['is to be empty and is not', ['a'], 0, 'the stream has more than the 0 bytes that were announced'],
  ])('a stream that %s is refused, and leaves no object', async (_, chunks, size, message) => {
    const fileId = newFileId()
    const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
    await expect(storeFile(service.stores, file(fileId), { stream, size })).rejects.toMatchObject({
      code: 'limit',
      message,
    })
    expect(await service.stores.objects.head(`files/acme/ana/${fileId}/a.txt`)).toBeUndefined()
    expect(await text(fileId)).toBe(-32002)
    expect(await codeOf(store({ fileId }))).toBe('done')
  })

  test.each<[string, string[], number]>([
    ['nothing', [], 0],
    ['empty pieces', ['', ''], 0],
    ['pieces', ['ab', '', 'c'], 3],
  ])('a stream of %s is stored', async (_, chunks, size) => {
    const fileId = newFileId()
    const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
    await storeFile(service.stores, file(fileId), { stream, size })
    expect(await text(fileId)).toBe(chunks.join(''))
  })
})

/** The stores, and the names of the calls that are made of them. */
function watched({ stores }: Service) {
  const callsMade: string[] = []
  const watch = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name, receiver) {
        callsMade.push(String(name))
        return Reflect.get(target, name, receiver)
      },
    })
  return { callsMade, stores: { ...stores, files: watch(stores.files), objects: watch(stores.objects) } }
}

describe('an id that is taken', () => {
  test.each<[string, Partial<NewFile>]>([
    ['by the same name of the same owner', {}],
    ['by another name', { name: 'b.txt' }],
    ['by another owner', { ownerId: 'bob' }],
  ])('%s is refused, and the file stays as it is', async (_, input) => {
    const { fileId } = await store({ tags: ['first'] })
    expect(
      await codeOf(
        storeFile(service.stores, { ...file(fileId), tags: ['second'], ...input }, Buffer.from('new')),
      ),
    ).toBe('exists')
    expect(await text(fileId)).toBe('text')
    expect((await service.stores.files.get('acme', fileId))?.tags).toEqual(['first'])
  })

  test('in one workspace is free in another', async () => {
    const { fileId } = await store({})
    await store({ fileId, workspaceId: 'other' })
  })

  test('is kept by the first of two who store at once under different names', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fileId = newFileId()
      const owners = ['ana', 'bob', 'cem']
      const codes = await Promise.all(
        owners.map((ownerId) =>
          codeOf(
            storeFile(service.stores, { ...file(fileId), ownerId, tags: [ownerId] }, Buffer.from(ownerId)),
          ),
        ),
      )
      expect(codes.toSorted()).toEqual(['done', 'exists', 'exists'])
      const winner = owners[codes.indexOf('done')] ?? ''
      const item = await service.stores.files.get('acme', fileId)
      expect([item?.ownerId, item?.tags, await text(fileId, winner)]).toEqual([winner, [winner], winner])
    }
  })
})

function file(fileId: string): NewFile {
  return { workspaceId: 'acme', ownerId: 'ana', name: 'a.txt', fileId }
}

describe('a crash', () => {
  test('before the object is there leaves nothing to be seen, and storing again resumes', async () => {
    const fileId = newFileId()
    const announced = await announceFile(service.stores, {
      ...file(fileId),
      tags: ['old'],
      createdAtMs: 1_700_000_000_000,
    })
    expect(await text(fileId)).toBe(-32002)
    expect((await service.list({ tags: ['old'] })).body.result).toEqual({ resources: [] })
    await store({ fileId, tags: ['new'] })
    expect(await text(fileId)).toBe('text')
    const item = await service.stores.files.get('acme', fileId)
    expect([item?.tags, item?.createdAt]).toEqual([['new'], announced.createdAt])
    expect(item?.createdAt).toBe('2023-11-14T22:13:20.000Z')
  })

  test('after the object is there is resumed with what is stored the second time', async () => {
    const fileId = newFileId()
    const { stores } = service
    const failing = { ...stores.objects, head: () => Promise.reject(new Error('crash')) }
    await expect(
      storeFile({ ...stores, objects: failing }, { ...file(fileId), shared: true }, bytes),
    ).rejects.toThrow('crash')
    expect(await text(fileId)).toBe(-32002)
    await storeFile(stores, file(fileId), Buffer.from('again'))
    expect(await text(fileId)).toBe('again')
    expect(await text(fileId, 'bob')).toBe(-32002)
  })

  test('is not resumed by another owner or under another name', async () => {
    const fileId = newFileId()
    await announceFile(service.stores, file(fileId))
    expect(await codeOf(store({ fileId, ownerId: 'bob' }))).toBe('exists')
    expect(await codeOf(store({ fileId, name: 'b.txt' }))).toBe('exists')
  })
})

test('an upload under way is not taken over for more people than it was announced for', async () => {
  const fileId = newFileId()
  await announceFile(service.stores, { ...file(fileId), readers: ['bob'] })
  expect(await codeOf(store({ fileId, shared: true }))).toBe('exists')
  expect(await codeOf(store({ fileId, readers: ['bob', 'cem'] }))).toBe('exists')
  expect(await codeOf(store({ fileId, readers: ['bob'] }))).toBe('done')
  expect(await text(fileId, 'bob')).toBe('text')
})

test.each(['at once', 'while it is read'])(
  'a source that breaks %s is an error and no more',
  async (when) => {
    const fileId = newFileId()
    const stream = new Readable({
      read() {
        if (when === 'while it is read') this.push('x')
        this.destroy(new Error('disk'))
      },
    })
    if (when === 'at once') stream.destroy(new Error('disk'))
    await expect(storeFile(service.stores, file(fileId), { stream, size: 5 })).rejects.toThrow('disk')
    expect(await text(fileId)).toBe(-32002)
  },
)

test.each([
  ['breaks a limit', { tags: [''] }, 4],
  ['is too large for one upload', {}, 6 * 1024 ** 3],
  ['does not have the bytes that it promised', {}, 9],
  ['is stored', {}, 4],
])('the source of a file that %s is closed', async (_, input, size) => {
  const stream = Readable.from([bytes])
  await store(input, { stream, size }).catch(() => {})
  expect(stream.destroyed).toBe(true)
})

test('the source of a file whose id is taken is closed', async () => {
  const { fileId } = await store({})
  const stream = Readable.from([bytes])
  await expect(store({ fileId }, { stream, size: 4 })).rejects.toThrow('is taken')
  expect(stream.destroyed).toBe(true)
})

test('the object is under the key that says whose it is', async () => {
  const { fileId } = await store({ ownerId: 'auth0|a', name: 'Über/sicht.txt' })
  const key = objectKey({ workspaceId: 'acme', ownerId: 'auth0|a', fileId, name: 'Über/sicht.txt' })
  expect(key).toBe(`files/acme/auth0%7Ca/${fileId}/%C3%9Cber%2Fsicht.txt`)
  expect((await service.stores.objects.head(key))?.size).toBe(4)
})

describe('two who store one file at once', () => {
  const attempt = (name: string, size = 4) => ({ tags: [name], body: Buffer.from(name.padEnd(size, name)) })

  /** What each was told, and what is there in the end. */
  async function race(fileId: string, attempts: { tags: string[]; body: Buffer }[], streamed = false) {
    const codes = await Promise.all(
      attempts.map(({ tags, body }) => {
        const bytes = streamed ? { stream: Readable.from([body]), size: body.length } : body
        return codeOf(storeFile(service.stores, { ...file(fileId), tags }, bytes))
      }),
    )
    const item = await service.stores.files.get('acme', fileId)
    return { codes, told: codes.toSorted(), tags: item?.tags, text: await text(fileId) }
  }

  test.each([2, 3, 8])('%d at once: one is told that it has, and that is what is read', async (count) => {
    for (let round = 0; round < 5; round += 1) {
      const attempts = Array.from({ length: count }, (_, i) => attempt(`${i}`))
      const { codes, told, tags, text } = await race(newFileId(), attempts)
      expect(told).toEqual(['done', ...Array.from({ length: count - 1 }, () => 'exists')])
      const winner = String(codes.indexOf('done'))
      expect([tags, text]).toEqual([[winner], winner.repeat(4)])
    }
  })

  test('streams, which cannot be sent twice: at most one is told so, and that is what is read', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { codes, told, tags, text } = await race(newFileId(), [attempt('0'), attempt('1')], true)
      expect([
        ['done', 'exists'],
        ['exists', 'exists'],
      ]).toContainEqual(told)
      const winner = String(codes.indexOf('done'))
      if (winner !== '-1') expect([tags, text]).toEqual([[winner], winner.repeat(4)])
    }
  })

  test('over what a crash left: one is told that it has, and that is what is read', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fileId = newFileId()
      const { objectKey: key } = await announceFile(service.stores, file(fileId))
      await service.stores.objects.put(key, Buffer.from('left'), { size: 4, contentType: 'text/plain' })
      const { codes, told, tags, text } = await race(fileId, [attempt('0'), attempt('1'), attempt('2')])
      expect(told).toEqual(['done', 'exists', 'exists'])
      const winner = String(codes.indexOf('done'))
      expect([tags, text]).toEqual([[winner], winner.repeat(4)])
    }
  })

  /** The stores, with `before` done once before the first PUT. */
  function pausing(before: () => Promise<unknown>): Service['stores'] {
    const { stores } = service
    let todo = true
    const put: typeof stores.objects.put = async (...args) => {
      if (todo) {
        todo = false
        await before()
      }
      return stores.objects.put(...args)
    }
    return { ...stores, objects: { ...stores.objects, put } }
  }

  test.each([
    ['bytes', 4],
    ['a stream', 4],
    ['a long stream', 8_388_608],
  ])('the first, of %s that come late, overwrites nothing', async (kind, size) => {
    const fileId = newFileId()
    const late = pausing(() => store({ fileId, tags: ['second'] }))
    const body = Buffer.alloc(size, 'late')
    const bytes = kind === 'bytes' ? body : { stream: Readable.from([body, '']), size }
    await expect(storeFile(late, { ...file(fileId), tags: ['first'] }, bytes)).rejects.toMatchObject({
      code: 'exists',
      message: `the id ${fileId} is taken in this workspace`,
    })
    expect(await text(fileId)).toBe('text')
    expect((await service.stores.files.get('acme', fileId))?.tags).toEqual(['second'])
  })

  test('bytes of somebody earlier that come between are overwritten', async () => {
    const fileId = newFileId()
    const second = pausing(async () => {
      const key = `files/acme/ana/${fileId}/a.txt`
      await service.stores.objects.put(key, Buffer.from('first'), { size: 5, contentType: 'text/plain' })
    })
    await storeFile(second, file(fileId), Buffer.from('second'))
    expect(await text(fileId)).toBe('second')
  })

  test('a PUT that was stored though its answer was lost is no other than itself', async () => {
    const fileId = newFileId()
    const { stores } = service
    let isFirst = true
    const put: typeof stores.objects.put = async (...args) => {
      if (isFirst) await stores.objects.put(...args) // and the SDK sends it again
      isFirst = false
      return stores.objects.put(...args)
    }
    const stored = await storeFile({ ...stores, objects: { ...stores.objects, put } }, file(fileId), bytes)
    expect([stored.state, await text(fileId)]).toEqual(['ready', 'text'])
  })

  test('a change of the announcement while it is resumed is no error of its own', async () => {
    const fileId = newFileId()
    await announceFile(service.stores, { ...file(fileId), tags: ['old'] })
    const announced = Array.from({ length: 10 }, (_, i) =>
      codeOf(announceFile(service.stores, { ...file(fileId), tags: [`${i}`] })),
    )
    expect(await Promise.all(announced)).toEqual(Array.from({ length: 10 }, () => 'done'))
  })
})
