/**
 * Contract 5: a change of access, of tags, or a deletion is in force for every read and list that begins after it was
 * acknowledged, on every instance and under load. What one user sees of each file is recorded and judged as a whole.
 */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createResolver } from '../functions/wiring.ts'
import { shareFile, tagFile, unshareFile, untagFile } from '../lib/change.ts'
import type { FileItem } from '../lib/file.ts'
import { createHttpServer } from '../lib/node.ts'
import { removeFile } from '../lib/remove.ts'
import { type Service, startService } from './harness.ts'
import { firstWrong, type Operation } from './history.ts'

let service: Service
let instances: { url: string; close(): Promise<unknown> }[]
beforeAll(async () => {
  service = await startService()
  instances = await Promise.all([startInstance(), startInstance()])
})
afterAll(async () => {
  await Promise.all(instances.map((each) => each.close()))
  await service.close()
})

async function startInstance() {
  const server = createHttpServer(
    createResolver(service.config, service.environment, () => {}),
    service.config,
    () => {},
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) }
}

/** What bob can see of a file: whether a read finds it, whether a list of all or of the tagged shows it. */
const views = ['read', 'listed', 'tagged'] as const
type View = (typeof views)[number]
interface History {
  readonly writes: Operation<boolean>[]
  readonly reads: Operation<boolean>[]
}

/** A file and what is known of it: all that bob was shown, and what he had to be shown. */
interface Subject {
  readonly file: FileItem
  readonly histories: Record<View, History>
  state: { shared: boolean; reader: boolean; tagged: boolean; deleted: boolean }
}

function emptySubject(file: FileItem): Subject {
  const history = (): History => ({ writes: [{ began: -1, ended: -1, value: false }], reads: [] })
  return {
    file,
    histories: { read: history(), listed: history(), tagged: history() },
    state: { shared: false, reader: false, tagged: false, deleted: false },
  }
}

async function change(subject: Subject, next: Partial<Subject['state']>, run: () => Promise<unknown>) {
  const began = performance.now()
  await run()
  const ended = performance.now()
  subject.state = { ...subject.state, ...next }
  const { shared, reader, tagged, deleted } = subject.state
  const visible = !deleted && (shared || reader)
  for (const view of views) {
    const value = visible && (view !== 'tagged' || tagged)
    subject.histories[view].writes.push({ began, ended, value })
  }
}

async function ask(url: string, method: string, params: object): Promise<string> {
  const answer = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await service.token({ user: 'bob' })}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: `ai.nimblebrain/resources/${method}`, params }),
  })
  const text = await answer.text()
  // an answer that storage was too late for is neither
  return answer.status === 503 ? 'late' : text
}

/** Asks, and records what was seen of each of the subjects. */
async function observe(url: string, view: View, subjects: readonly Subject[]): Promise<void> {
  const filter = view === 'tagged' ? { tags: ['hot'] } : {}
  for (const group of view === 'read' ? subjects.map((each) => [each]) : [subjects]) {
    const began = performance.now()
    const text = await (view === 'read'
      ? ask(url, 'read', { uri: `files://${group[0]?.file.fileId}` })
      : ask(url, 'list', { _meta: { filter } }))
    const ended = performance.now()
    if (text === 'late') continue
    for (const { file, histories } of group) {
      const value = view === 'read' ? text.includes('"contents"') : text.includes(file.fileId)
      histories[view].reads.push({ began, ended, value })
    }
  }
}

test('no read and no list that begins after a revocation was acknowledged shows the file', {
  timeout: 120_000,
}, async () => {
  const files = await Promise.all(
    Array.from({ length: 5 }, (_, i) => service.put(`file ${i}`, { name: `${i}.txt` })),
  )
  const subjects = files.map(emptySubject)
  let writers = subjects.length

  const writing = subjects.map(async (subject, n) => {
    const { stores } = service
    const { file } = subject
    for (let round = 0; round < 8; round += 1) {
      await change(subject, { shared: true }, () => shareFile(stores, file, { shared: true }))
      await change(subject, { tagged: true }, () => tagFile(stores, file, ['hot']))
      await change(subject, { reader: true }, () => shareFile(stores, file, { readers: ['bob'] }))
      await change(subject, { shared: false }, () => unshareFile(stores, file, { shared: true }))
      await change(subject, { tagged: false }, () => untagFile(stores, file, ['hot']))
      await change(subject, { reader: false }, () => unshareFile(stores, file, { readers: ['bob'] }))
    }
    await change(subject, { shared: true }, () => shareFile(stores, file, { shared: true }))
    await change(subject, { deleted: true }, () => removeFile(stores, file))
    writers -= 1
    return n
  })
  const reading = instances.flatMap(({ url }) =>
    views.flatMap((view) =>
      [0, 1].map(async () => {
        while (writers > 0) await observe(url, view, subjects)
        await observe(url, view, subjects)
      }),
    ),
  )
  await Promise.all([...writing, ...reading])

  for (const { histories } of subjects) {
    for (const view of views) {
      const { writes, reads } = histories[view]
      expect(firstWrong(writes, reads), `${view} of ${reads.length}`).toBeUndefined()
      expect(new Set(reads.map(({ value }) => value)), view).toEqual(new Set([true, false]))
    }
  }
})
