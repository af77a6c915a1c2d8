/**
 * Deleting: nobody sees the file from the moment that it began, and whoever comes later finishes what was left.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shareFile } from '../lib/change.ts'
import type { FileItem } from '../lib/file.ts'
import { removeFile } from '../lib/remove.ts'
import { type Service, startService } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

async function expectGone(file: FileItem): Promise<void> {
  const uri = `files://${file.fileId}`
  expect((await service.read(uri)).body.error).toEqual({
    code: -32002,
    message: 'Resource not found',
    data: { uri },
  })
  expect((await service.list({ tags: file.tags })).body.result).toEqual({ resources: [] })
}

test('a deleted file is gone for everybody, and a tombstone with an end stays', async () => {
  const file = await service.put('x', { tags: ['deleted'], shared: true, readers: ['bob'] })
  await removeFile(service.stores, file)
  await expectGone(file)
  expect(await service.stores.objects.head(file.objectKey)).toBe(undefined)
  const tombstone = await service.stores.files.get('acme', file.fileId)
  expect(tombstone).toMatchObject({
    state: 'deleted',
    tags: ['deleted'],
    visibility: 'shared',
    readers: ['bob'],
  })
  const days = ((tombstone?.expiresAtSec ?? 0) - Date.now() / 1_000) / 86_400
  expect(days).toBeGreaterThan(29)
  expect(days).toBeLessThan(31)
})

test('a deletion that crashes before the object is gone is finished by the next one', async () => {
  const file = await service.put('x', { tags: ['half deleted'] })
  const { stores } = service
  const failing = { ...stores.objects, remove: () => Promise.reject(new Error('crash')) }
  await expect(removeFile({ ...stores, objects: failing }, file)).rejects.toThrow('crash')
  await expectGone(file)
  expect(await stores.objects.head(file.objectKey)).toBeDefined()
  await expect(removeFile(stores, file)).rejects.toMatchObject({ code: 'not-found' })
  expect(await stores.objects.head(file.objectKey)).toBe(undefined)
  await expect(shareFile(stores, file, { shared: true })).rejects.toMatchObject({ code: 'not-found' })
  await expectGone(file)
})

test('of several who delete at once one is told that it has, the others that it is gone', async () => {
  const file = await service.put('x', { tags: ['contended'] })
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => removeFile(service.stores, file)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expectGone(file)
})

test('a change that runs against a deletion does not bring the file back', async () => {
  for (let round = 0; round < 5; round += 1) {
    const file = await service.put('x', { tags: [`raced${round}`] })
    await Promise.allSettled([
      shareFile(service.stores, file, { shared: true }),
      removeFile(service.stores, file),
      shareFile(service.stores, file, { readers: ['bob'] }),
    ])
    await expectGone(file)
  }
})

test('what was never there is not found', async () => {
  const missing = { workspaceId: 'acme', fileId: 'fl_0123456789abcdef01234567' }
  await expect(removeFile(service.stores, missing)).rejects.toMatchObject({ code: 'not-found' })
  const { fileId } = await service.put('x')
  await expect(removeFile(service.stores, { workspaceId: 'other', fileId })).rejects.toMatchObject({
    code: 'not-found',
  })
  expect((await service.read(`files://${fileId}`)).body.result).toBeDefined()
})
