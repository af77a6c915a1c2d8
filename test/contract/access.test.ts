/**
 * Contract 5: who sees a file, by reading and by listing alike, and from when on.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shareFile, tagFile, unshareFile } from '../../lib/change.ts'
import { removeFile } from '../../lib/remove.ts'
import { type Service, startService, type Who } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Whether the caller can read the file; a listing must say the same. */
async function sees(fileId: string, who: Who): Promise<boolean> {
  const uri = `files://${fileId}`
  const read = await service.read(uri, who)
  const { resources } = (await service.list(undefined, who)).body.result
  const listed = resources.some((resource: { uri: string }) => resource.uri === uri)
  expect(read.body.result !== undefined).toBe(listed)
  if (!listed) expect(read.body.error).toEqual({ code: -32002, message: 'Resource not found', data: { uri } })
  return listed
}

test('a file is private to its owner when nothing else was said', async () => {
  const { fileId } = await service.put('x')
  expect(await sees(fileId, { user: 'ana' })).toBe(true)
  expect(await sees(fileId, { user: 'bob' })).toBe(false)
})

test('a file is seen through every server of its workspace', async () => {
  const { fileId } = await service.put('x')
  expect(await sees(fileId, { server: 'another' })).toBe(true)
})

test('a shared file is seen by every member of its workspace and by nobody outside', async () => {
  const { fileId } = await service.put('x', { shared: true })
  expect(await sees(fileId, { user: 'bob' })).toBe(true)
  expect(await sees(fileId, { user: 'somebody-new' })).toBe(true)
  expect(await sees(fileId, { user: 'bob', workspace: 'other' })).toBe(false)
  expect(await sees(fileId, { user: 'ana', workspace: 'other' })).toBe(false)
})

test('a file with readers is seen by those and its owner', async () => {
  const { fileId } = await service.put('x', { readers: ['bob', 'cem'] })
  expect(await sees(fileId, { user: 'ana' })).toBe(true)
  expect(await sees(fileId, { user: 'bob' })).toBe(true)
  expect(await sees(fileId, { user: 'cem' })).toBe(true)
  expect(await sees(fileId, { user: 'dan' })).toBe(false)
  expect(await sees(fileId, { user: 'bob', workspace: 'other' })).toBe(false)
})

test('users are told apart by every character', async () => {
  const { fileId } = await service.put('x', { ownerId: 'auth0|a', readers: ['b#c'] })
  expect(await sees(fileId, { user: 'auth0|a' })).toBe(true)
  expect(await sees(fileId, { user: 'b#c' })).toBe(true)
  for (const user of ['AUTH0|a', 'auth0', 'a', 'auth0%7Ca', 'auth0|a#', 'b', 'c', 'b%23c', 'B#C']) {
    expect(await sees(fileId, { user })).toBe(false)
  }
})

test('the same id in two workspaces is two files (H13)', async () => {
  const fileId = 'fl_00000000000000000000abcd'
  await service.put('ours', { fileId, shared: true })
  await service.put('theirs', { fileId, workspaceId: 'other', shared: true })
  const read = async (workspace: string) =>
    (await service.read(`files://${fileId}`, { workspace })).body.result.contents[0].text
  expect(await read('acme')).toBe('ours')
  expect(await read('other')).toBe('theirs')
  expect((await service.read(`files://${fileId}`, { workspace: 'third' })).body.error.code).toBe(-32002)
})

test('a change of access is in force for what begins after it', async () => {
  const ref = { workspaceId: 'acme', fileId: (await service.put('x', { tags: ['t'] })).fileId }
  const bob = { user: 'bob' }
  for (const sharing of [{ shared: true }, { readers: ['bob'] }, { shared: true, readers: ['bob'] }]) {
    await shareFile(service.stores, ref, sharing)
    expect(await sees(ref.fileId, bob)).toBe(true)
    await unshareFile(service.stores, ref, sharing)
    expect(await sees(ref.fileId, bob)).toBe(false)
  }
})

test('a reader who is taken off a shared file still sees it, and no longer when it is unshared', async () => {
  const ref = { workspaceId: 'acme', fileId: (await service.put('x')).fileId }
  await shareFile(service.stores, ref, { shared: true, readers: ['bob'] })
  await unshareFile(service.stores, ref, { readers: ['bob'] })
  expect(await sees(ref.fileId, { user: 'bob' })).toBe(true)
  await tagFile(service.stores, ref, ['t'])
  await unshareFile(service.stores, ref, { shared: true })
  expect(await sees(ref.fileId, { user: 'bob' })).toBe(false)
  expect(await sees(ref.fileId, { user: 'ana' })).toBe(true)
})

test('a deleted file is seen by nobody', async () => {
  const { fileId } = await service.put('x', { shared: true, readers: ['bob'] })
  await removeFile(service.stores, { workspaceId: 'acme', fileId })
  expect(await sees(fileId, { user: 'ana' })).toBe(false)
  expect(await sees(fileId, { user: 'bob' })).toBe(false)
  expect(await sees(fileId, { user: 'cem' })).toBe(false)
})

test('membership is what the token says, and ends with it (H10)', async () => {
  const { fileId } = await service.put('x', { shared: true })
  expect(await sees(fileId, { user: 'leaving' })).toBe(true)
  const authorization = `Bearer ${await service.token({ user: 'leaving' }, -60)}`
  const frame = { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/list' }
  expect((await service.call(frame, {}, { headers: { authorization } })).status).toBe(401)
})

test('the caller comes from the credential, whatever body, query or headers say', async () => {
  const { fileId } = await service.put('x', { ownerId: 'bob' })
  const claims = { workspace: 'acme', workspaceId: 'acme', sub: 'bob', user: 'bob', userId: 'bob' }
  const frame = {
    jsonrpc: '2.0',
    id: 1,
    ...claims,
    method: 'ai.nimblebrain/resources/read',
    params: { uri: `files://${fileId}`, ...claims, _meta: claims },
  }
  const answer = await service.call(frame, {}, { headers: { 'x-user': 'bob', 'x-workspace': 'acme' } })
  expect(answer.body.error.code).toBe(-32002)
})
