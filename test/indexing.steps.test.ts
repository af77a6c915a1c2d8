/**
 * Indexing, deleting and storing, interrupted at every storage call: by a crash, after which the event comes again, and
 * by others who change the file or the bucket in between and whose own events are handled at once.
 */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIndexStores } from '../functions/stores.ts'
import { createS3 } from '../functions/wiring.ts'
import { shareFile, tagFile } from '../lib/change.ts'
import { indexKey } from '../lib/indexing.ts'
import { removeFile } from '../lib/remove.ts'
import { announceFile, storeFile } from '../lib/store.ts'
import type { ReconcileStores } from '../lib/work.ts'
import { type Service, startService } from './harness.ts'
import { atEachCall, Crash, interrupted } from './steps.ts'

let service: Service
let stores: ReconcileStores
let s3: S3Client
beforeAll(async () => {
  service = await startService()
  stores = createIndexStores(service.config, service.environment)
  s3 = createS3(service.environment)
})
afterAll(() => service.close())

const Bucket = 'files-bucket'
const upload = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
const erase = (Key: string, VersionId?: string) =>
  s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))

interface Place {
  workspaceId: string
  fileId: string
  key: string
}

let count = 0
function freshPlace(): Place {
  count += 1
  const workspaceId = `w${count}`
  const fileId = `fl_${String(count).padStart(24, '0')}`
  return { workspaceId, fileId, key: `files/${workspaceId}/ana/${fileId}/a.txt` }
}

/** The text that the user reads and the number of files that the user is listed; they must agree. */
async function seen({ workspaceId, fileId }: Place, user = 'ana'): Promise<string | undefined> {
  const who = { workspace: workspaceId, user }
  const { resources } = (await service.list(undefined, who)).body.result
  const text = (await service.read(`files://${fileId}`, who)).body.result?.contents[0].text
  expect(resources).toHaveLength(text === undefined ? 0 : 1)
  return text
}

/** What may be before an indexing begins; the text is what the owner must see after it. */
const situations: [string, (place: Place) => Promise<unknown>, string | undefined][] = [
  ['a new object', ({ key }) => upload(key, 'new'), 'new'],
  [
    'an announced file',
    async ({ key, ...place }) => {
      await announceFile(stores, { ...place, ownerId: 'ana', name: 'a.txt', tags: ['t'] })
      await upload(key, 'announced')
    },
    'announced',
  ],
  [
    'an overwritten object',
    async ({ key }) => {
      await upload(key, 'old')
      await indexKey(stores, key)
      await upload(key, 'newer')
    },
    'newer',
  ],
  [
    'an object that is gone',
    async ({ key }) => {
      await upload(key, 'old')
      await indexKey(stores, key)
      await erase(key)
    },
    undefined,
  ],
  [
    'an object that is there again',
    async ({ key }) => {
      await upload(key, 'old')
      await indexKey(stores, key)
      await erase(key)
      await indexKey(stores, key)
      await upload(key, 'again')
    },
    'again',
  ],
  [
    'an object of a file that its host deleted',
    async ({ key, ...place }) => {
      await upload(key, 'old')
      await indexKey(stores, key)
      await removeFile(stores, place)
      await upload(key, 'late')
    },
    undefined,
  ],
]

describe.each(situations)('indexing %s', (_, prepare, text) => {
  test.each([false, true])(
    'crashes at any storage call (after it: %s), and the event comes again',
    async (isAfter) => {
      const steps = await atEachCall(async (at) => {
        const place = freshPlace()
        await prepare(place)
        const crash = () => Promise.reject(new Crash())
        const watched = interrupted(stores, at, crash, isAfter)
        const outcome = await indexKey(watched.stores, place.key).catch((error: unknown) => error)
        expect(outcome instanceof Crash).toBe(watched.calls() > at)
        expect(await seen(place, 'eve')).toBeUndefined()
        await indexKey(stores, place.key)
        expect(await seen(place)).toBe(text)
        expect((await indexKey(stores, place.key)).result).toBe('unchanged')
        return watched
      })
      expect(steps).toBeGreaterThanOrEqual(3)
    },
  )

  const others: [string, (place: Place) => Promise<unknown>, string | undefined | 'as before'][] = [
    ['the object is deleted', ({ key }) => erase(key), undefined],
    ['the object is overwritten', ({ key }) => upload(key, 'other'), 'other'],
    [
      'the object is overwritten and rolled back',
      async ({ key }) => {
        const { VersionId } = await upload(key, 'rolled back')
        await indexKey(stores, key)
        await erase(key, VersionId)
      },
      'as before',
    ],
    [
      'the object is deleted and uploaded again',
      async ({ key }) => {
        await erase(key)
        await indexKey(stores, key)
        await upload(key, 'second')
      },
      'second',
    ],
    [
      'another key claims the id',
      async ({ workspaceId, fileId }) => {
        const other = `files/${workspaceId}/mallory/${fileId}/a.txt`
        await upload(other, 'mine')
        await indexKey(stores, other)
        await erase(other)
        await indexKey(stores, other)
      },
      'as before',
    ],
  ]

  test.each(others)('while %s, at any storage call', async (what, meddle, afterwards) => {
    await atEachCall(async (at) => {
      const place = freshPlace()
      await prepare(place)
      const isFinal = (await stores.files.get(place.workspaceId, place.fileId))?.deletedBy === 'host'
      const watched = interrupted(stores, at, async () => {
        await meddle(place)
        await indexKey(stores, place.key)
      })
      const { result } = await indexKey(watched.stores, place.key)
      const isMeddled = watched.calls() > at
      const isClaimed = what.startsWith('another') && result === 'refused'
      const expected = isMeddled && afterwards !== 'as before' ? afterwards : text
      if (!isClaimed) expect(await seen(place)).toBe(isFinal ? undefined : expected)
      expect(await seen(place, 'eve')).toBeUndefined()
      return watched
    })
  })

  test('while its host deletes the file, at any storage call', async () => {
    await atEachCall(async (at) => {
      const place = freshPlace()
      await prepare(place)
      let isRemoved = false
      const watched = interrupted(stores, at, async () => {
        isRemoved = (await stores.files.get(place.workspaceId, place.fileId)) !== undefined
        await removeFile(stores, place).catch(() => {}) // "not found" where nobody could see it
      })
      await indexKey(watched.stores, place.key)
      expect(await seen(place)).toBe(isRemoved ? undefined : text)
      if (isRemoved) expect(await stores.objects.head(place.key)).toBeUndefined()
      return watched
    })
  })
})

test('indexing while the new version is taken back, at any storage call, ends with the old one', async () => {
  await atEachCall(async (at) => {
    const place = freshPlace()
    await upload(place.key, 'old')
    await indexKey(stores, place.key)
    const { VersionId } = await upload(place.key, 'newer')
    const watched = interrupted(stores, at, async () => {
      await erase(place.key, VersionId)
      await indexKey(stores, place.key)
    })
    await indexKey(watched.stores, place.key)
    expect(await seen(place)).toBe(watched.calls() > at ? 'old' : 'newer')
    return watched
  })
})

test('indexing while the file is tagged and shared, at any storage call, loses neither', async () => {
  await atEachCall(async (at) => {
    const { key, ...place } = freshPlace()
    await upload(key, 'old')
    await indexKey(stores, key)
    await upload(key, 'newer')
    const watched = interrupted(stores, at, async () => {
      await tagFile(stores, place, ['t'])
      await shareFile(stores, place, { readers: ['ben'] })
    })
    await indexKey(watched.stores, key)
    expect(await seen({ ...place, key })).toBe('newer')
    expect(await seen({ ...place, key }, 'ben')).toBe(watched.calls() > at ? 'newer' : undefined)
    expect((await stores.files.get(place.workspaceId, place.fileId))?.tags).toEqual(
      watched.calls() > at ? ['t'] : [],
    )
    return watched
  })
})

test.each([false, true])(
  'a deletion by the host with an indexing at any of its calls, which may be its last (crash: %s)',
  async (dies) => {
    await atEachCall(async (at) => {
      const place = freshPlace()
      await upload(place.key, 'x')
      await indexKey(stores, place.key)
      await upload(place.key, 'y')
      const watched = interrupted(stores, at, async () => {
        await indexKey(stores, place.key)
        if (dies) throw new Crash()
      })
      const outcome = await removeFile(watched.stores, place).catch((error: unknown) => error)
      if (outcome instanceof Crash) await removeFile(stores, place).catch(() => {})
      await indexKey(stores, place.key)
      expect(await seen(place)).toBeUndefined()
      expect(await stores.objects.head(place.key)).toBeUndefined()
      return watched
    })
  },
)

test.each([false, true])(
  'storing that crashes at any storage call (after it: %s) is completed by the event, or by storing again',
  async (isAfter) => {
    await atEachCall(async (at) => {
      const { key, ...place } = freshPlace()
      const input = { ...place, ownerId: 'ana', name: 'a.txt', readers: ['ben'], tags: ['t'] }
      const watched = interrupted(stores, at, () => Promise.reject(new Crash()), isAfter)
      const outcome = await storeFile(watched.stores, input, Buffer.from('x')).catch(
        (error: unknown) => error,
      )
      expect(await seen({ ...place, key }, 'eve')).toBeUndefined()
      if (await stores.objects.head(key)) await indexKey(stores, key)
      else if (outcome instanceof Crash) await storeFile(stores, input, Buffer.from('x'))
      expect(await seen({ ...place, key }, 'ben')).toBe('x')
      expect((await stores.files.get(place.workspaceId, place.fileId))?.tags).toEqual(['t'])
      return watched
    })
  },
)
