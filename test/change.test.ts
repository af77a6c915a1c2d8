/**
 * Changes of a stored file: at the limits, beyond them, and many at once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renameFile, retagFile, shareFile, tagFile, unshareFile, untagFile } from '../lib/change.ts'
import { completeFile } from '../lib/complete.ts'
import { removeFile } from '../lib/remove.ts'
import { type Service, startService, type Who } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

async function listed(filter: unknown, who?: Who): Promise<string[]> {
  const { body } = await service.list(filter, who)
  return body.result.resources.map(({ uri }: { uri: string }) => uri)
}

describe('a file with 49 rows', () => {
  test('has all its 47 tags replaced at once', async () => {
    const file = await service.put('x', { tags: numbered(47, 'old') })
    await retagFile(service.stores, file, numbered(47, 'new'))
    for (const tag of numbered(47, 'old')) expect(await listed({ tags: [tag] })).toEqual([])
    for (const tag of numbered(47, 'new'))
      expect(await listed({ tags: [tag] })).toEqual([`files://${file.fileId}`])
  })

  test('shared and with five readers, has all its tags replaced for every one of them', async () => {
    const readers = numbered(5, 'user')
    const file = await service.put('x', { tags: numbered(5, 'was'), readers, shared: true })
    await retagFile(service.stores, file, numbered(5, 'is'))
    for (const user of ['ana', ...readers, 'anybody']) {
      expect(await listed({ tags: numbered(5, 'is') }, { user })).toEqual([`files://${file.fileId}`])
      expect(await listed({ tags: ['was0'] }, { user })).toEqual([])
    }
  })

  test('is renamed, unshared and shared again', async () => {
    const readers = numbered(5, 'user')
    const file = await service.put('x', { tags: numbered(5, 'kept'), readers, shared: true })
    await unshareFile(service.stores, file, { shared: true, readers })
    expect(await listed({ tags: ['kept4'] }, { user: 'user0' })).toEqual([])
    await shareFile(service.stores, file, { shared: true, readers })
    await renameFile(service.stores, file, 'b.txt')
    const { body } = await service.list({ tags: numbered(5, 'kept') }, { user: 'user4' })
    expect(body.result.resources).toMatchObject([{ name: 'b.txt' }])
  })

  test.each([
    ['another tag', () => tagFile, ['one more']],
    ['more tags in place of its own', () => retagFile, numbered(48, 'r')],
  ])('is left as it is by %s, which is refused', async (_, change, tags) => {
    const file = await service.put('x', { tags: numbered(47, 't') })
    await expect(change()(service.stores, file, tags)).rejects.toMatchObject({
      code: 'limit',
      message: expect.stringContaining('is 50, at most 49 fit'),
    })
    expect((await service.stores.files.get('acme', file.fileId))?.revision).toBe(file.revision)
  })

  test('keeps no row for those who have been taken off, where the rows of the present fill it', async () => {
    const file = await service.put('x', {
      tags: numbered(5, 'full'),
      readers: numbered(5, 'user'),
      shared: true,
    })
    const { formerReaders } = await unshareFile(service.stores, file, { readers: ['user0'] })
    expect(formerReaders).toEqual(['user0'])
    const full = await shareFile(service.stores, file, { readers: ['user9'] })
    expect(full.formerReaders).toEqual([])
    for (const user of ['user0', 'user9']) {
      expect(await listed({ tags: ['full4'] }, { user })).toEqual([`files://${file.fileId}`])
    }
  })

  test('is left as it is by another audience, which is refused', async () => {
    const file = await service.put('x', { tags: numbered(47, 't') })
    for (const sharing of [{ shared: true }, { readers: ['bob'] }]) {
      await expect(shareFile(service.stores, file, sharing)).rejects.toMatchObject({ code: 'limit' })
    }
    expect((await service.stores.files.get('acme', file.fileId))?.revision).toBe(file.revision)
    expect((await service.read(`files://${file.fileId}`, { user: 'bob' })).body.error.code).toBe(-32002)
  })
})

test.each([
  ['an empty tag', (s: Service['stores'], f: Ref) => tagFile(s, f, [''])],
  ['a tag of 257 bytes', (s: Service['stores'], f: Ref) => retagFile(s, f, ['x'.repeat(257)])],
  ['a name whose key is too long', (s: Service['stores'], f: Ref) => renameFile(s, f, 'n'.repeat(983))],
  ['an empty name', (s: Service['stores'], f: Ref) => renameFile(s, f, '')],
  ['a reader with a space', (s: Service['stores'], f: Ref) => shareFile(s, f, { readers: ['a b'] })],
])('%s is refused, and the file stays as it is', async (_, change) => {
  const file = await service.put('x', { tags: ['kept'] })
  await expect(change(service.stores, file)).rejects.toMatchObject({ code: 'limit' })
  expect((await service.stores.files.get('acme', file.fileId))?.revision).toBe(file.revision)
})

type Ref = { workspaceId: string; fileId: string }

test('tags are one whatever the form they are written in, also to be taken off', async () => {
  const file = await service.put('x', { tags: ['e\u0301'] })
  expect((await tagFile(service.stores, file, ['é', 'e\u0301'])).tags).toEqual(['é'])
  expect((await untagFile(service.stores, file, ['e\u0301', 'none'])).tags).toEqual([])
})

test('a new name is the name of the same bytes, under the same key and type', async () => {
  const file = await service.put('x', { name: 'a.txt' })
  const renamed = await renameFile(service.stores, file, 'b.csv')
  expect([renamed.name, renamed.objectKey, renamed.content?.type]).toEqual([
    'b.csv',
    file.objectKey,
    'text/plain',
  ])
})

describe('twenty changes at once', () => {
  /** Reads and lists for as long as `work` takes; both find the file at each moment. */
  async function whileRead(uri: string, filter: unknown, work: Promise<unknown>): Promise<void> {
    let going = true
    const reading = async () => {
      while (going) {
        const [read, list] = await Promise.all([service.read(uri), listed(filter)])
        expect(read.body.result.contents[0].text).toBe('x')
        expect(list).toEqual([uri])
      }
    }
    await Promise.all([work.finally(() => (going = false)), reading(), reading()])
  }

  test('of all tags end in those of one of them, and the file is there throughout', async () => {
    const file = await service.put('x', { tags: ['always'] })
    const uri = `files://${file.fileId}`
    const changes = numbered(20, 'tag').map((tag) =>
      retagFile(service.stores, file, ['always', `${tag}-a`, `${tag}-b`]),
    )
    await whileRead(uri, { tags: ['always'] }, Promise.all(changes))
    const item = await service.stores.files.get('acme', file.fileId)
    expect(item?.revision).toBe(file.revision + 20)
    const winner = /^(tag\d+)-a$/.exec(item?.tags[1] ?? '')?.[1]
    expect(item?.tags).toEqual(['always', `${winner}-a`, `${winner}-b`])
    for (const tag of numbered(20, 'tag')) {
      expect(await listed({ tags: [`${tag}-a`] })).toEqual(tag === winner ? [uri] : [])
    }
  })

  test('that each add a tag lose none', async () => {
    const file = await service.put('x', { tags: ['kept too'] })
    const added = numbered(20, 'plus')
    const changes = added.map((tag) => tagFile(service.stores, file, [tag]))
    await whileRead(`files://${file.fileId}`, { tags: ['kept too'] }, Promise.all(changes))
    expect(await listed({ tags: added })).toEqual([`files://${file.fileId}`])
  })
})

test.each<[string, Ref]>([
  ['an id that is none', { workspaceId: 'acme', fileId: 'fl_0123456789ABCDEF01234567' }],
  ['an id with half a character', { workspaceId: 'acme', fileId: '\ud83d' }],
  ['a workspace with half a character', { workspaceId: '\ud83d', fileId: 'fl_0123456789abcdef01234567' }],
  ['no workspace', { workspaceId: '', fileId: 'fl_0123456789abcdef01234567' }],
  ['a workspace with a space', { workspaceId: 'a b', fileId: 'fl_0123456789abcdef01234567' }],
])('%s is refused by every change, by the deletion and by the completion', async (_, ref) => {
  const { stores } = service
  const refused = {
    code: 'limit',
    message: expect.stringMatching(/^(a file id is fl_|the workspace must be 1 to 128)/),
  }
  await expect(tagFile(stores, ref, ['a'])).rejects.toMatchObject(refused)
  await expect(untagFile(stores, ref, ['a'])).rejects.toMatchObject(refused)
  await expect(retagFile(stores, ref, ['a'])).rejects.toMatchObject(refused)
  await expect(shareFile(stores, ref, { shared: true })).rejects.toMatchObject(refused)
  await expect(unshareFile(stores, ref, { shared: true })).rejects.toMatchObject(refused)
  await expect(renameFile(stores, ref, 'a')).rejects.toMatchObject(refused)
  await expect(removeFile(stores, ref)).rejects.toMatchObject(refused)
  await expect(completeFile(stores, ref.workspaceId, ref.fileId)).rejects.toMatchObject(refused)
})

test('what is not there, or is deleted, cannot be changed', async () => {
  const missing = { workspaceId: 'acme', fileId: 'fl_0123456789abcdef01234567' }
  await expect(tagFile(service.stores, missing, ['a'])).rejects.toMatchObject({ code: 'not-found' })
  const { fileId } = await service.put('x')
  const elsewhere = shareFile(service.stores, { workspaceId: 'other', fileId }, { shared: true })
  await expect(elsewhere).rejects.toMatchObject({ code: 'not-found' })
})
