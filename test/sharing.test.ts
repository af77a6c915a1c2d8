/**
 * A file whose sharing changes while others list it (contract 4: whoever may see it throughout, sees it; whoever may
 * not, does not). A listing reads two partitions: they are read apart here, by chance and in every order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Sharing, shareFile, unshareFile } from '../lib/change.ts'
import type { FileItem } from '../lib/file.ts'
import type { FileIndex } from '../lib/files.ts'
import { list } from '../lib/list.ts'
import type { Who } from './harness.ts'
import { onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService()
})
afterAll(() => proxied.close())

const holdQueries = () => {
  const held = () => sleep(Math.random() < 0.5 ? 0 : Math.random() * 25)
  proxied.dynamo.fault = onlyFor('Query', (_req, _res, pass) => void held().then(pass))
}
afterEach(() => proxied.heal())

const everyone = { shared: true, readers: [] }
const bob = { shared: false, readers: ['bob'] }
const bobAndCem = { shared: false, readers: ['bob', 'cem'] }

type Step = [grant: typeof shareFile, to: Sharing]

/** Runs the steps over and over while `ask` is called without a pause by several at a time. */
async function under(
  file: FileItem,
  steps: readonly Step[],
  rounds: number,
  ask: () => Promise<void>,
): Promise<number> {
  const { stores } = proxied.service
  let going = true
  let answers = 0
  const asking = Array.from({ length: 4 }, async () => {
    while (going) {
      await ask()
      answers += 1
    }
  })
  const changing = async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [change, to] of steps) {
        await change(stores, file, to)
        await sleep(Math.random() * 12)
      }
    }
    going = false
  }
  await Promise.all([
    changing().finally(() => {
      going = false
    }),
    ...asking,
  ])
  return answers
}

async function listed(who: Who, filter?: unknown): Promise<string[]> {
  const { body } = await proxied.service.list(filter, who)
  return body.result.resources.map((resource: { uri: string }) => resource.uri)
}

/** Every way from "reader" to "everyone" and back on which bob may see the file at each moment. */
const journeys: [string, Step[]][] = [
  [
    'shared, reader off, reader on, unshared',
    [
      [shareFile, everyone],
      [unshareFile, bob],
      [shareFile, bob],
      [unshareFile, everyone],
    ],
  ],
  [
    'shared and reader at once, then one or the other',
    [
      [shareFile, { shared: true, readers: ['bob'] }],
      [unshareFile, everyone],
      [shareFile, everyone],
      [unshareFile, bob],
      [shareFile, bob],
      [unshareFile, everyone],
    ],
  ],
  [
    'shared, unshared, with the reader on all along',
    [
      [shareFile, everyone],
      [unshareFile, everyone],
    ],
  ],
  [
    'with another reader who comes and goes',
    [
      [shareFile, bobAndCem],
      [shareFile, everyone],
      [unshareFile, bobAndCem],
      [shareFile, { shared: false, readers: ['cem'] }],
      [shareFile, bob],
      [unshareFile, everyone],
      [unshareFile, { shared: false, readers: ['cem'] }],
    ],
  ],
]

describe('a file that moves between its reader and everyone', () => {
  beforeEach(holdQueries)

  test.each(journeys)(
    '%s: is in every listing of that reader and of its owner, once',
    async (name, steps) => {
      const tags = [name, 'common']
      const file = await proxied.service.put('x', { readers: ['bob'], tags })
      const uri = `files://${file.fileId}`
      const answers = await under(file, steps, 6, async () => {
        const filter = { tags: Math.random() < 0.5 ? tags : [name] }
        const [reader, owner, readers] = await Promise.all([
          listed({ user: 'bob' }, filter),
          listed({ user: 'ana' }, filter),
          proxied.service.read(uri, { user: 'bob' }),
        ])
        expect(reader).toEqual([uri])
        expect(owner).toEqual([uri])
        expect(readers.body.result.contents[0].text).toBe('x')
      })
      expect(answers).toBeGreaterThan(10)
    },
  )

  test('is never shown to another workspace', async () => {
    const file = await proxied.service.put('x', { readers: ['bob'] })
    const outside = { user: 'bob', workspace: 'elsewhere' }
    await under(file, journeys[0]?.[1] ?? [], 4, async () => {
      expect(await listed(outside)).toEqual([])
      const { body } = await proxied.service.read(`files://${file.fileId}`, outside)
      expect(body.error.code).toBe(-32002)
    })
  })
})

type State = 'reader' | 'both' | 'everyone'

const touch = [shareFile, { readers: ['cem'] }] as const

/** From where bob may see a file, by one change at a time, to where he still may. */
const moves: Record<State, [State, ...Step][]> = {
  reader: [
    ['both', shareFile, everyone],
    ['reader', ...touch],
  ],
  everyone: [
    ['both', shareFile, bob],
    ['everyone', ...touch],
  ],
  both: [
    ['reader', unshareFile, everyone],
    ['everyone', unshareFile, bob],
  ],
}

interface Walk {
  readonly path: readonly State[]
  readonly steps: readonly Step[]
}

function walks(from: State, length: number): Walk[] {
  if (length === 0) return [{ path: [from], steps: [] }]
  return moves[from].flatMap(([to, ...step]) =>
    walks(to, length - 1).map(({ path, steps }) => ({ path: [from, ...path], steps: [step, ...steps] })),
  )
}

const allWalks = (['reader', 'both', 'everyone'] as const).flatMap((from) => walks(from, 3))

describe.each(['mine', 'shared'] as const)('a listing that reads "%s" first', (first) => {
  test.each(allWalks)('and then the other has a file that went $path meanwhile', async ({ path, steps }) => {
    const { service } = proxied
    const initial = { shared: path[0] !== 'reader', readers: path[0] === 'everyone' ? [] : ['bob'] }
    for (let before = 0; before < steps.length; before += 1) {
      const file = await service.put('x', { ...initial, workspaceId: `${first}-${path.join('-')}-${before}` })
      const move = async ([change, to]: Step) => void (await change(service.stores, file, to))
      for (const step of steps.slice(0, before)) await move(step)
      const text = await listedInTwo(file, first, async () => {
        for (const step of steps.slice(before)) await move(step)
      })
      expect(text).toContain(file.fileId)
    }
  })
})

/** What bob gets when `between` happens after one partition of his listing was read and before the other is. */
async function listedInTwo(
  file: FileItem,
  first: 'mine' | 'shared',
  between: () => Promise<void>,
): Promise<string> {
  const { files } = proxied.service.stores
  let firstIsRead = () => {}
  const moved = new Promise<void>((resolve) => {
    firstIsRead = resolve
  }).then(between)
  const query: FileIndex['query'] = async (asked, signal) => {
    const isFirst = asked.pk.includes('#shared#') === (first === 'shared')
    if (!isFirst) await moved
    const page = await files.query(asked, signal)
    if (isFirst) firstIsRead()
    return page
  }
  const caller = { workspaceId: file.workspaceId, userId: 'bob', serverId: 'reports' }
  const request = { caller, params: undefined, signal: AbortSignal.timeout(10_000) }
  const chunks = await list({ files: { ...files, query }, throttle: { take: async () => {} } }, request)
  let text = ''
  for await (const chunk of chunks) text += chunk.toString()
  return text
}

test('a file that only ever has readers is never shown to anybody else', async () => {
  const file = await proxied.service.put('x', { readers: ['bob'], tags: ['readers-only'] })
  const steps: Step[] = [
    [shareFile, bobAndCem],
    [unshareFile, bob],
    [shareFile, bob],
    [unshareFile, { shared: false, readers: ['cem'] }],
  ]
  await under(file, steps, 4, async () => {
    expect(await listed({ user: 'dan' }, { tags: ['readers-only'] })).toEqual([])
    expect((await proxied.service.read(`files://${file.fileId}`, { user: 'dan' })).body.error.code).toBe(
      -32002,
    )
  })
})

test.each([
  ['everyone', everyone, ['bob', 'cem', 'dan']],
  ['its reader', bob, ['bob']],
  ['everyone and its reader', { shared: true, readers: ['bob'] }, ['bob', 'cem', 'dan']],
])('what was shared with %s is hidden from the moment that this was taken back', async (_, grant, users) => {
  const { stores } = proxied.service
  const file = await proxied.service.put('x', { ownerId: 'olga', tags: ['revoked'] })
  for (let round = 0; round < 5; round += 1) {
    await shareFile(stores, file, grant)
    for (const user of users) expect(await listed({ user }, { tags: ['revoked'] })).toHaveLength(1)
    await unshareFile(stores, file, grant)
    for (const user of users) {
      expect(await listed({ user }, { tags: ['revoked'] })).toEqual([])
      expect((await proxied.service.read(`files://${file.fileId}`, { user })).body.error.code).toBe(-32002)
    }
  }
})

test('readers who keep a file that is no longer shared see it, the others of the workspace do not', async () => {
  const { stores } = proxied.service
  const file = await proxied.service.put('x', { shared: true, readers: ['bob'], tags: ['kept'] })
  await unshareFile(stores, file, everyone)
  expect(await listed({ user: 'bob' }, { tags: ['kept'] })).toEqual([`files://${file.fileId}`])
  for (const user of ['cem', 'bo', 'bobby']) expect(await listed({ user }, { tags: ['kept'] })).toEqual([])
  await shareFile(stores, file, { readers: ['cem'] })
  await unshareFile(stores, file, bob)
  expect(await listed({ user: 'cem' }, { tags: ['kept'] })).toEqual([`files://${file.fileId}`])
  expect(await listed({ user: 'bob' }, { tags: ['kept'] })).toEqual([])
})
