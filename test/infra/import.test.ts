/**
 * Moving in from a host's own store, as its operator does it: by the command, into a running service.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeFile } from '../../lib/remove.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
let dir: string
beforeAll(async () => {
  service = await startService({ MAX_READ_BYTES: '1000' })
  dir = await mkdtemp(join(tmpdir(), 'import-'))
})
afterAll(async () => {
  await service.close()
  await rm(dir, { recursive: true })
})

interface Report {
  moved: number
  present: number
  deleted: number
  removed: number
  tombstone: number
  left: { path: string; what: string; reason: string }[]
}

async function runImport(name: string, ...options: string[]): Promise<{ code: number; report: Report }> {
  const args = ['--import', 'tsx', 'infra/cli/main.ts', 'import', join(dir, name), '--json', ...options]
  const env = { ...process.env, ...service.environment }
  const child = spawn(process.execPath, [...args, '--data', join(dir, 'none')], { env })
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  const [code] = await once(child, 'close')
  return { code, report: JSON.parse(stdout) }
}

const idOf = (n: number) => `fl_${n.toString(16).padStart(24, '0')}`

/** A host's folder: files by name on disk, and the lines of its registry. */
async function hostFolder(
  name: string,
  owner: { workspace: string; user: string },
  onDisk: Record<string, string>,
  lines: (object | string)[],
): Promise<string> {
  const folder = join(dir, name, 'workspaces', owner.workspace, 'files', owner.user)
  await mkdir(folder, { recursive: true })
  for (const [path, bytes] of Object.entries(onDisk)) await writeFile(join(folder, path), bytes)
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  await appendFile(join(folder, 'registry.jsonl'), `${text}\n`)
  return folder
}

const listed = async (workspace: string, user: string, filter?: unknown) =>
  (await service.list(filter, { workspace, user })).body.result.resources

test('a file whose type is none is moved, with the type that its name tells', async () => {
  await hostFolder('typeless', { workspace: 'ws_typeless', user: 'ana' }, { [`${idOf(9)}_a.csv`]: 'a,b' }, [
    { id: idOf(9), filename: 'a.csv', mimeType: 'csv', size: 3, tags: [] },
  ])
  expect((await runImport('typeless')).report).toMatchObject({ moved: 1, left: [] })
  expect(await listed('ws_typeless', 'ana')).toMatchObject([{ mimeType: 'text/csv' }])
})

test('files of both id forms move in with ids, names, times, types, tags and visibility', async () => {
  const legacy = 'fl_mb3k9x_0a1b2c3d'
  await hostFolder(
    'whole',
    { workspace: 'ws_1', user: 'usr_ana' },
    {
      [`${idOf(1)}_q1 + ü.csv`]: 'a,b',
      [`${legacy}_oldnotes.md`]: '# old',
      [`${idOf(2)}_big.txt`]: 'x'.repeat(1_001),
      [`${idOf(3)}_gone.txt`]: 'deleted there',
      [`${idOf(1)}.extracted.json`]: '{"text":"not a file of its own"}',
    },
    [
      {
        id: idOf(1),
        filename: 'draft.csv',
        mimeType: 'text/csv',
        size: 3,
        tags: [],
        createdAt: '2025-03-01T10:00:00.000Z',
      },
      {
        id: legacy,
        filename: 'old/notes.md',
        mimeType: 'application/octet-stream',
        size: 5,
        tags: ['x'],
        createdAt: '2024-01-01T00:00:00.000Z',
      },
      {
        id: idOf(2),
        filename: 'big.txt',
        mimeType: 'text/plain',
        size: 1_001,
        tags: [],
        createdAt: '2025-03-02T10:00:00.000Z',
      },
      {
        id: idOf(3),
        filename: 'gone.txt',
        mimeType: 'text/plain',
        size: 13,
        tags: [],
        createdAt: '2025-03-02T10:00:00.000Z',
      },
      {
        id: idOf(1),
        filename: 'q1 + ü.csv',
        mimeType: 'text/csv',
        size: 3,
        tags: ['q1', 'finance'],
        visibility: 'shared',
        createdAt: '2025-03-01T10:00:00.000Z',
        description: 'x',
      },
      { id: idOf(3), filename: 'gone.txt', deleted: true },
    ],
  )
  expect((await runImport('whole', '--dry-run')).report).toMatchObject({ moved: 3, tombstone: 1, left: [] })
  expect(await listed('ws_1', 'usr_ana')).toEqual([])

  const { code, report } = await runImport('whole')
  expect(code).toBe(0)
  expect(report).toMatchObject({ moved: 3, tombstone: 1, present: 0, left: [] })
  expect(await listed('ws_1', 'usr_ana')).toEqual([
    { uri: `files://${legacy}`, name: 'old/notes.md', mimeType: 'text/markdown', size: 5 },
    { uri: `files://${idOf(1)}`, name: 'q1 + ü.csv', mimeType: 'text/csv', size: 3 },
    { uri: `files://${idOf(2)}`, name: 'big.txt', mimeType: 'text/plain', size: 1_001 },
  ])
  expect(await listed('ws_1', 'usr_ben', { tags: ['finance', 'q1'] })).toHaveLength(1)
  expect(await listed('ws_1', 'usr_ben')).toHaveLength(1)
  const who = { workspace: 'ws_1', user: 'usr_ana' }
  expect((await service.read(`files://${legacy}`, who)).body.result.contents[0].text).toBe('# old')
  expect((await service.read(`files://${idOf(2)}`, who)).body.error).toMatchObject({ code: -32005 })

  expect((await runImport('whole')).report).toMatchObject({ moved: 0, present: 3, tombstone: 1, left: [] })
})

test('what cannot be moved is told with its reason, the rest moves, and the exit code is 1', async () => {
  const folder = await hostFolder(
    'faulty',
    { workspace: 'ws_2', user: 'usr_ana' },
    { [`${idOf(10)}_a.txt`]: 'a', [`${idOf(11)}_cut.txt`]: 'cu', [`${idOf(13)}_many.txt`]: 'm' },
    [
      { id: idOf(10), filename: 'a.txt', size: 1 },
      { id: idOf(11), filename: 'cut.txt', size: 3 },
      { id: idOf(12), filename: 'missing.txt', size: 3 },
      { id: idOf(13), filename: 'many.txt', size: 1, tags: Array.from({ length: 60 }, (_, i) => `t${i}`) },
      `{"id":"${idOf(10)}","filename":"a.t`,
    ],
  )
  await hostFolder('faulty', { workspace: 'ws_2', user: 'usr ben' }, { [`${idOf(14)}_b.txt`]: 'b' }, [
    { id: idOf(14), filename: 'b.txt', size: 1 },
  ])
  await service.put('taken', { workspaceId: 'ws_2', ownerId: 'usr_carl', fileId: idOf(15) })
  await hostFolder('faulty', { workspace: 'ws_2', user: 'usr_dora' }, { [`${idOf(15)}_c.txt`]: 'c' }, [
    { id: idOf(15), filename: 'c.txt', size: 1 },
  ])
  const { code, report } = await runImport('faulty')
  expect(code).toBe(1)
  expect(report.moved).toBe(1)
  const reasons = Object.fromEntries(report.left.map(({ what, reason }) => [what, reason]))
  expect(reasons).toEqual({
    'line 5': 'is no JSON',
    [idOf(11)]: 'it has 2 bytes on disk and 3 in the registry',
    [idOf(12)]: 'its bytes are missing',
    [idOf(13)]: expect.stringContaining('(2 + tags) is 62, at most 49 fit'),
    [idOf(14)]: 'the owner must be 1 to 128 visible ASCII characters without spaces',
    [idOf(15)]: 'the id belongs to another owner in this workspace',
  })
  expect(report.left.find(({ what }) => what === idOf(11))?.path).toBe(folder)
  expect(await listed('ws_2', 'usr_ana')).toHaveLength(1)
  expect(await listed('ws_2', 'usr_dora')).toEqual([])
})

test('what is deleted in the one store or the other between two runs stays deleted in both', async () => {
  const owner = { workspace: 'ws_3', user: 'usr_ana' }
  await hostFolder('moving', owner, { [`${idOf(20)}_a.txt`]: 'a', [`${idOf(21)}_b.txt`]: 'b' }, [
    { id: idOf(20), filename: 'a.txt', size: 1 },
    { id: idOf(21), filename: 'b.txt', size: 1 },
  ])
  await runImport('moving')
  await removeFile(service.stores, { workspaceId: 'ws_3', fileId: idOf(20) })
  await hostFolder('moving', owner, { [`${idOf(22)}_c.txt`]: 'c' }, [
    { id: idOf(21), filename: 'b.txt', size: 1, deleted: true },
    { id: idOf(22), filename: 'c.txt', size: 1 },
  ])
  const { code, report } = await runImport('moving')
  expect(code).toBe(0)
  expect(report).toMatchObject({ moved: 1, deleted: 1, removed: 1, present: 0, left: [] })
  expect((await listed('ws_3', 'usr_ana')).map(({ name }: { name: string }) => name)).toEqual(['c.txt'])
})

test('of two ids, one of which begins the other, each gets its own bytes', async () => {
  const short = 'fl_aaaaaaaaaaaaaaaaaaaaaaaa'
  const long = `${short}_deadbeef`
  const owner = { workspace: 'ws_4', user: 'usr_ana' }
  await hostFolder('prefix', owner, { [`${short}_a.txt`]: 'short', [`${long}_a.txt`]: 'long' }, [
    { id: short, filename: 'a.txt' },
    { id: long, filename: 'a.txt' },
  ])
  expect((await runImport('prefix')).report).toMatchObject({ moved: 2, left: [] })
  const who = { workspace: 'ws_4', user: 'usr_ana' }
  expect((await service.read(`files://${short}`, who)).body.result.contents[0].text).toBe('short')
  expect((await service.read(`files://${long}`, who)).body.result.contents[0].text).toBe('long')
})

test('a folder that cannot be read is told, and the others move', async () => {
  await hostFolder('unread', { workspace: 'ws_1', user: 'usr_ana' }, { [`${idOf(901)}_a.txt`]: 'a' }, [
    { id: idOf(901), filename: 'a.txt' },
  ])
  const workspace = join(dir, 'unread', 'workspaces', 'ws_2')
  await mkdir(workspace)
  await symlink('files', join(workspace, 'files'))
  await writeFile(join(dir, 'unread', 'workspaces', 'notes.txt'), 'no workspace')
  const { code, report } = await runImport('unread')
  expect(code).toBe(1)
  expect(report).toMatchObject({
    moved: 1,
    left: [{ path: join(workspace, 'files'), what: 'cannot be read' }],
  })
})
