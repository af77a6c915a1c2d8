/**
 * Who sees what: random changes of files, by the very functions that hosts call, against a model that is written anew
 * here. After each change the reads and listings of everybody are what the model says.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renameFile, retagFile, shareFile, tagFile, unshareFile, untagFile } from '../lib/change.ts'
import { ResolverError } from '../lib/errors.ts'
import { removeFile } from '../lib/remove.ts'
import { type Service, startService } from './harness.ts'

const workspaces = ['north', 'south'] as const
const users = ['ana', 'bob', 'cem']
const ids = ['fl_00000000000000000000000a', 'fl_00000000000000000000000b']
const tags = ['q1', 'é', 'x y']
const types = ['text/plain', 'text/csv; header=present', 'application/pdf']

interface Model {
  owner: string
  shared: boolean
  readers: Set<string>
  tags: Set<string>
  name: string
  type: string
  text: string
  createdAtMs: number
  deleted: boolean
}

const someUsers = fc.subarray(users)
const someTags = fc.subarray(tags)
const place = { workspace: fc.constantFrom<string>(...workspaces), fileId: fc.constantFrom(...ids) }
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...place,
      verb: fc.constant('store' as const),
      owner: fc.constantFrom(...users),
      shared: fc.boolean(),
      readers: someUsers,
      tags: someTags,
      type: fc.constantFrom(...types),
      createdAtMs: fc.nat(2),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...place,
      verb: fc.constant('share' as const),
      shared: fc.boolean(),
      readers: someUsers,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...place,
      verb: fc.constant('unshare' as const),
      shared: fc.boolean(),
      readers: someUsers,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...place,
      verb: fc.constantFrom('tag' as const, 'untag' as const, 'retag' as const),
      tags: someTags,
    }),
  },
  fc.record({
    ...place,
    verb: fc.constant('rename' as const),
    name: fc.constantFrom('a.txt', 'Übersicht "2".md'),
  }),
  fc.record({ ...place, verb: fc.constant('remove' as const) }),
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const filter = fc.record(
  {
    tags: someTags,
    mimeType: fc.constantFrom(
      'text/plain',
      'TEXT/CSV',
      'text/csv;header=present',
      'text/csv;header=absent',
      'a/b',
    ),
    scheme: fc.constant('files'),
  },
  { requiredKeys: [] },
)
type Filter = { tags?: string[]; mimeType?: string }

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

let runs = 0

test('every read and listing of every user is what the model says, after every change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(command, filter), { minLength: 1, maxLength: 14 }), async (steps) => {
      runs += 1
      const files = new Map<string, Model>()
      for (const [step, wanted] of steps) {
        const real = { ...step, workspace: `${step.workspace}-${runs}` }
        await apply(files, real)
        await Promise.all(
          everybody().map(async (who) => {
            await expectListing(files, who, wanted)
            await expectRead(files, who, step.fileId)
          }),
        )
      }
      await Promise.all(
        everybody().map(async (who) => {
          await expectListing(files, who, undefined)
          for (const fileId of ids) await expectRead(files, who, fileId)
        }),
      )
    }),
    { numRuns: 15 },
  )
})

type Someone = { workspace: string; user: string }

function everybody(): Someone[] {
  return workspaces.flatMap((name) =>
    [...users, 'eve'].map((user) => ({ workspace: `${name}-${runs}`, user })),
  )
}

function visible(files: Map<string, Model>, { workspace, user }: Someone, fileId: string): Model | undefined {
  const file = files.get(`${workspace} ${fileId}`)
  if (!file || file.deleted) return undefined
  return user === file.owner || file.shared || file.readers.has(user) ? file : undefined
}

async function expectRead(files: Map<string, Model>, who: Someone, fileId: string): Promise<void> {
  const uri = `files://${fileId}`
  const { body } = await service.read(uri, who)
  const file = visible(files, who, fileId)
  if (!file) {
    expect(body.error).toEqual({ code: -32002, message: 'Resource not found', data: { uri } })
    return
  }
  const content = file.type === 'application/pdf' ? { blob: btoa(file.text) } : { text: file.text }
  expect(body.result).toEqual({ contents: [{ uri, mimeType: file.type, ...content }] })
}

async function expectListing(
  files: Map<string, Model>,
  who: Someone,
  wanted: Filter | undefined,
): Promise<void> {
  const expected = ids
    .map((fileId) => ({ fileId, file: visible(files, who, fileId) }))
    .flatMap(({ fileId, file }) => (file && matches(file, wanted) ? [{ fileId, file }] : []))
    .sort((a, b) => a.file.createdAtMs - b.file.createdAtMs || (a.fileId < b.fileId ? -1 : 1))
    .map(({ fileId, file }) => ({
      uri: `files://${fileId}`,
      name: file.name,
      mimeType: file.type,
      size: file.text.length,
    }))
  const { body } = await service.list(wanted, who)
  expect(body.result).toEqual({ resources: expected })
}

function matches(file: Model, { tags: wanted = [], mimeType }: Filter = {}): boolean {
  const byType: Record<string, string[]> = {
    'text/plain': ['text/plain'],
    'TEXT/CSV': ['text/csv; header=present'],
    'text/csv;header=present': ['text/csv; header=present'],
  }
  const rightType = mimeType === undefined || (byType[mimeType] ?? []).includes(file.type)
  return rightType && wanted.every((tag) => file.tags.has(tag))
}

/** Changes the real file and the model alike; what the model says must fail must fail with that code. */
async function apply(files: Map<string, Model>, step: Command): Promise<void> {
  const key = `${step.workspace} ${step.fileId}`
  const present = files.get(key)
  const ref = { workspaceId: step.workspace, fileId: step.fileId }
  if (step.verb === 'store') {
    const { owner, createdAtMs, type } = step
    const text = `${step.workspace} ${step.fileId} ${owner}`
    const input = { ...ref, ownerId: owner, name: 'n', type, tags: step.tags, createdAtMs }
    const stored = service.put(text, { ...input, shared: step.shared, readers: step.readers })
    expect(await codeOf(stored)).toBe(present ? 'exists' : undefined)
    if (present) return
    const sets = { readers: new Set(step.readers), tags: new Set(step.tags) }
    files.set(key, {
      owner,
      shared: step.shared,
      name: 'n',
      type,
      text,
      createdAtMs,
      deleted: false,
      ...sets,
    })
    return
  }
  const changed = step.verb === 'remove' ? removeFile(service.stores, ref) : change(step, ref)
  expect(await codeOf(changed)).toBe(present && !present.deleted ? undefined : 'not-found')
  if (present) changeModel(present, step)
}

function change(
  step: Exclude<Command, { verb: 'store' | 'remove' }>,
  ref: { workspaceId: string; fileId: string },
) {
  const { stores } = service
  if (step.verb === 'share') return shareFile(stores, ref, step)
  if (step.verb === 'unshare') return unshareFile(stores, ref, step)
  if (step.verb === 'rename') return renameFile(stores, ref, step.name)
  const tagging = { tag: tagFile, untag: untagFile, retag: retagFile }[step.verb]
  return tagging(stores, ref, step.tags)
}

function changeModel(file: Model, step: Exclude<Command, { verb: 'store' }>): void {
  if (step.verb === 'remove') file.deleted = true
  else if (step.verb === 'rename') file.name = step.name
  else if (step.verb === 'share') {
    file.shared ||= step.shared
    for (const reader of step.readers) file.readers.add(reader)
  } else if (step.verb === 'unshare') {
    file.shared &&= !step.shared
    for (const reader of step.readers) file.readers.delete(reader)
  } else if (step.verb === 'untag') for (const tag of step.tags) file.tags.delete(tag)
  else file.tags = new Set(step.verb === 'tag' ? [...file.tags, ...step.tags] : step.tags)
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof ResolverError) return error.code
    throw error
  }
}
