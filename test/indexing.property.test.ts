/**
 * Random lives of files: stored and changed by their host, uploaded, overwritten and deleted in the bucket, while events
 * come late, twice, out of order or never. A model knows what the bucket holds and what access was given; after the last
 * event, or after reconciling when some were dropped, everybody sees exactly the model, and at no moment more.
 */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIndexStores } from '../functions/stores.ts'
import { createS3 } from '../functions/wiring.ts'
import { retagFile, shareFile, unshareFile } from '../lib/change.ts'
import { ResolverError } from '../lib/errors.ts'
import { createIndexer } from '../lib/indexer.ts'
import { reconcile } from '../lib/reconcile.ts'
import { removeFile } from '../lib/remove.ts'
import { announceFile, storeFile } from '../lib/store.ts'
import type { ReconcileStores } from '../lib/work.ts'
import { type Service, startService } from './harness.ts'

let service: Service
let stores: ReconcileStores
let s3: S3Client
let index: ReturnType<typeof createIndexer>
let events: string[] = []
beforeAll(async () => {
  service = await startService({}, { onEvent: (event) => void events.push(JSON.stringify(event)) })
  stores = createIndexStores(service.config, service.environment)
  s3 = createS3(service.environment)
  index = createIndexer(stores, () => {})
})
afterAll(() => service.close())

const ids = ['fl_aaaaaaaaaaaaaaaaaaaaaaaa', 'fl_bbbbbbbbbbbbbbbbbbbbbbbb']
const users = ['ana', 'ben', 'eve']

/** What must be true of one file: the bytes in the bucket, and who may see them. */
interface Model {
  body: string | undefined
  isFinal: boolean
  tags: string[]
  shared: boolean
  readers: string[]
}

const access = fc.record({
  tags: fc.subarray(['t', 'u']),
  shared: fc.boolean(),
  readers: fc.subarray(['ben']),
})
const file = fc.integer({ min: 0, max: 1 })
const step = fc.oneof(
  fc.record({ do: fc.constant('store' as const), file, access }),
  fc.record({ do: fc.constant('announce' as const), file, access }),
  fc.record({ do: fc.constant('upload' as const), file }),
  fc.record({ do: fc.constant('erase' as const), file }),
  fc.record({ do: fc.constant('remove' as const), file }),
  fc.record({ do: fc.constant('share' as const), file }),
  fc.record({ do: fc.constant('unshare' as const), file }),
  fc.record({ do: fc.constant('retag' as const), file, access }),
  fc.record({ do: fc.constant('deliver' as const), nth: fc.nat(99), times: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ do: fc.constant('drop' as const), nth: fc.nat(99) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let run = 0

/** One life in a workspace of its own. */
async function live(steps: readonly Step[]): Promise<void> {
  run += 1
  const workspaceId = `life${run}`
  events = []
  let isDropped = false
  const models: Model[] = ids.map(() => ({
    body: undefined,
    isFinal: false,
    tags: [],
    shared: false,
    readers: [],
  }))

  for (const [i, each] of steps.entries()) {
    if (each.do === 'deliver') {
      const [body] = events.splice(each.nth % Math.max(1, events.length), 1)
      for (let n = 0; body && n < each.times; n += 1) await deliver([body])
    } else if (each.do === 'drop') {
      isDropped = events.splice(each.nth % Math.max(1, events.length), 1).length > 0 || isDropped
    } else {
      const [fileId, model] = [ids[each.file] ?? '', models[each.file]]
      if (model) await change(each, { workspaceId, fileId }, model, `${i}`)
    }
    await expectAtMost(workspaceId, models)
  }
  await settled()
  await deliver(events)
  if (isDropped) await reconcile(stores)
  await expectExactly(workspaceId, models)
  const { restored, completed, removed, refreshed, rowsPut, rowsRemoved, failed } = await reconcile(stores)
  expect({ restored, completed, removed, refreshed, rowsPut, rowsRemoved, failed }).toEqual({
    restored: 0,
    completed: 0,
    removed: 0,
    refreshed: 0,
    rowsPut: 0,
    rowsRemoved: 0,
    failed: 0,
  })
}

async function deliver(bodies: readonly string[]): Promise<void> {
  const Records = bodies.map((body, i) => ({ messageId: `${i}`, body }))
  expect(await index({ Records })).toEqual({ batchItemFailures: [] })
}

/** The emulator tells of a change right after it has answered. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

type Change = Exclude<Step, { do: 'deliver' | 'drop' }>

/** Makes the change, and notes in the model what it has to mean. A refusal means nothing. */
async function change(
  step: Change,
  ref: { workspaceId: string; fileId: string },
  model: Model,
  body: string,
): Promise<void> {
  const key = `files/${ref.workspaceId}/ana/${ref.fileId}/f.txt`
  const place = { Bucket: 'files-bucket', Key: key }
  const input = { ...ref, ownerId: 'ana', name: 'f.txt' }
  if (step.do === 'upload') {
    await s3.send(new PutObjectCommand({ ...place, Body: body }))
    model.body = body
  } else if (step.do === 'erase') {
    await s3.send(new DeleteObjectCommand(place))
    model.body = undefined
  } else if (step.do === 'remove') {
    const known = await stores.files.get(ref.workspaceId, ref.fileId)
    await attempt(() => removeFile(stores, ref))
    if (known) model.isFinal = true
  } else if (step.do === 'store') {
    const stored = await attempt(() => storeFile(stores, { ...input, ...step.access }, Buffer.from(body)))
    if (stored) Object.assign(model, step.access, { body })
  } else if (step.do === 'announce') {
    if (await attempt(() => announceFile(stores, { ...input, ...step.access })))
      Object.assign(model, step.access)
  } else if (step.do === 'retag') {
    const { tags } = step.access
    if (await attempt(() => retagFile(stores, ref, tags))) model.tags = tags
  } else {
    const isShared = step.do === 'share'
    const how = { shared: true, readers: ['ben'] }
    const done = await attempt(() => (isShared ? shareFile : unshareFile)(stores, ref, how))
    if (done) Object.assign(model, { shared: isShared, readers: isShared ? ['ben'] : [] })
  }
}

async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof ResolverError && ['exists', 'not-found'].includes(error.code)) return false
    throw error
  }
}

const may = (user: string, { shared, readers, isFinal }: Model) =>
  !isFinal && (user === 'ana' || shared || readers.includes(user))

async function expectAtMost(workspace: string, models: readonly Model[]): Promise<void> {
  for (const user of users) {
    for (const { uri } of (await service.list(undefined, { workspace, user })).body.result.resources) {
      const model = models[ids.indexOf(uri.slice('files://'.length))]
      expect(model && may(user, model)).toBe(true)
    }
  }
}

async function expectExactly(workspace: string, models: readonly Model[]): Promise<void> {
  for (const user of users) {
    for (const tags of [[], ['t'], ['t', 'u']]) {
      const { resources } = (await service.list({ tags }, { workspace, user })).body.result
      const expected = ids.filter((_, i) => {
        const model = models[i]
        return model?.body !== undefined && may(user, model) && tags.every((tag) => model.tags.includes(tag))
      })
      expect(resources.map(({ uri }: { uri: string }) => uri).toSorted()).toEqual(
        expected.map((id) => `files://${id}`),
      )
    }
    for (const [i, model] of models.entries()) {
      const { result } = (await service.read(`files://${ids[i]}`, { workspace, user })).body
      expect(result?.contents[0].text).toBe(may(user, model) ? model.body : undefined)
    }
  }
}

test('after the last event, or after reconciling, everybody sees exactly what is there for them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), (steps) => live(steps)),
    { numRuns: 40 },
  )
}, 120_000)
