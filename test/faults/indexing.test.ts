/**
 * What indexes, changes and deletes files × each fault of each storage call: it succeeds or says that storage is in
 * trouble, within the time that a call may take; a file that is there is never taken for gone; and done again without
 * the fault it comes out right. All cells run at once, each on a file of its own.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unshareFile } from '../../lib/change.ts'
import { completeKey } from '../../lib/complete.ts'
import { ResolverError } from '../../lib/errors.ts'
import { removeFile } from '../../lib/remove.ts'
import { newFileId, storeFile } from '../../lib/store.ts'
import { type Fault, type ProxiedService, startProxiedService } from '../proxy.ts'
import { type Case, dynamoCases, dynamoThrottling, s3Cases, trickling } from './catalogue.ts'
import { expectIdle } from './client.ts'

/** Three attempts of eight seconds, with pauses, and what a busy machine adds. */
const longestMs = 60_000

let proxied: ProxiedService
/** The fault of each file's cell, by file id. */
const faults = new Map<string, { operation: string; fault: Fault }>()

beforeAll(async () => {
  proxied = await startProxiedService()
  proxied.s3.fault = (req, res, pass) => dispatch(req, req.url ?? '', res, pass)
  proxied.dynamo.fault = (req, res, pass) => {
    req.once('readable', () => {
      const chunk: Buffer = req.read()
      req.unshift(chunk)
      dispatch(req, chunk.toString('latin1'), res, pass)
    })
  }
})
afterAll(async () => {
  await expectIdle(proxied)
  await proxied.close()
})

/** Lets the fault of the file that `text` names happen, if the request is the operation that it is for. */
function dispatch(
  req: IncomingMessage,
  text: string,
  ...[res, pass]: [Parameters<Fault>[1], Parameters<Fault>[2]]
) {
  const cell = faults.get(/fl_[0-9a-f]{24}/.exec(text)?.[0] ?? '')
  if (cell?.operation === operationOf(req)) cell.fault(req, res, pass)
  else pass()
}

function operationOf({ headers, method, url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target']
  if (typeof target === 'string') return target.split('.')[1] ?? ''
  return url.includes('list-type=2') ? 'LIST' : `${method}`
}

/** True when it succeeded, false when storage was in trouble; everything else, a hang too, fails the test. */
async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const hangs = sleep(longestMs, 'hangs', { signal: over.signal }).catch(() => {})
  try {
    expect(await Promise.race([run(), hangs])).not.toBe('hangs')
    return true
  } catch (error) {
    if (error instanceof ResolverError && error.code === 'unavailable') return false
    throw error
  } finally {
    over.abort()
  }
}

async function under(
  fileId: string,
  operation: string,
  fault: Fault,
  run: () => Promise<unknown>,
): Promise<boolean> {
  faults.set(fileId, { operation, fault })
  const isDone = await succeeds(run)
  faults.delete(fileId)
  return isDone
}

const place = (fileId: string) => ({ workspaceId: 'acme', fileId })
const present = async (fileId: string) => proxied.service.stores.files.get('acme', fileId)
const bytes = Buffer.from('the text of a file that is long enough to be cut anywhere')

const cellsOf = (operations: Record<string, readonly Case[]>) =>
  Object.entries(operations).flatMap(([operation, cases]) =>
    cases.map((each) => [operation, each.name, each] as const),
  )
const dynamo = [...dynamoCases, ...dynamoThrottling]

describe.concurrent('an object that has just come is indexed, when', () => {
  const cells = cellsOf({ GetItem: dynamo, TransactWriteItems: dynamo, HEAD: s3Cases, GET: s3Cases })
  test.each(cells)('%s %s', async (operation, _, { fault, outcome }) => {
    const { stores } = proxied.service
    const fileId = newFileId()
    const key = `files/acme/ana/${fileId}/a.txt`
    await stores.objects.put(key, bytes, { size: bytes.length, contentType: undefined })
    const isDone = await under(fileId, operation, fault, () => completeKey(stores, key))
    if (outcome === 'right') expect(isDone).toBe(true)
    if (isDone) expect((await present(fileId))?.content?.size).toBe(57)
    await completeKey(stores, key)
    expect(await present(fileId)).toMatchObject({
      state: 'ready',
      visibility: 'private',
      content: { size: 57, charset: 'utf-8' },
    })
  })
})

describe.concurrent('an answer that trickles in for minutes is storage trouble, when it is', () => {
  test('the text of a file that is being indexed', async () => {
    const { stores } = proxied.service
    const fileId = newFileId()
    const key = `files/acme/ana/${fileId}/a.txt`
    const text = Buffer.alloc(20_000, 'a')
    await stores.objects.put(key, text, { size: text.length, contentType: undefined })
    expect(await under(fileId, 'GET', trickling(1, 10), () => completeKey(stores, key))).toBe(false)
  })

  test('a listing of the bucket', async () => {
    const { stores } = proxied.service
    const { fileId, objectKey } = await proxied.service.put(bytes, { fileId: newFileId() })
    await stores.objects.remove(objectKey)
    expect(await under(fileId, 'LIST', trickling(1, 500), () => completeKey(stores, objectKey))).toBe(false)
  })
})

describe.concurrent('a binary object, whose bytes are not read, is indexed as it is, when', () => {
  test.each(cellsOf({ HEAD: s3Cases.filter(({ outcome }) => outcome === 'outage') }))(
    '%s %s once',
    async (operation, _, { fault }) => {
      const { stores } = proxied.service
      const fileId = newFileId()
      const key = `files/acme/ana/${fileId}/a.pdf`
      await stores.objects.put(key, bytes, { size: bytes.length, contentType: undefined })
      let isMet = false
      const once: Fault = (req, res, pass) => {
        if (isMet) return pass()
        isMet = true
        return fault(req, res, pass)
      }
      if (await under(fileId, operation, once, () => completeKey(stores, key))) {
        expect((await present(fileId))?.content?.size).toBe(57)
      }
      expect(isMet).toBe(true)
    },
  )
})

describe.concurrent('a file that is there is never taken for gone, when', () => {
  test.each(cellsOf({ HEAD: s3Cases, GetItem: dynamo }))('%s %s', async (operation, _, { fault }) => {
    const { stores } = proxied.service
    const { fileId, objectKey } = await proxied.service.put(bytes, { fileId: newFileId() })
    await under(fileId, operation, fault, () => completeKey(stores, objectKey))
    expect(await present(fileId)).toMatchObject({ state: 'ready', revision: 2 })
  })
})

describe.concurrent('a file whose object is gone is taken for gone and for nothing else, when', () => {
  test.each(cellsOf({ LIST: s3Cases }))('%s %s', async (operation, _, { fault, outcome }) => {
    const { stores } = proxied.service
    const { fileId, objectKey } = await proxied.service.put(bytes, { fileId: newFileId() })
    await stores.objects.remove(objectKey)
    const isDone = await under(fileId, operation, fault, () => completeKey(stores, objectKey))
    if (outcome === 'right') expect(isDone).toBe(true)
    expect((await present(fileId))?.state).toBe(isDone ? 'deleted' : 'ready')
  })
})

describe.concurrent('a revocation that is acknowledged holds, when', () => {
  test.each(cellsOf({ GetItem: dynamo, TransactWriteItems: dynamo }))(
    '%s %s',
    async (operation, _, { fault, outcome }) => {
      const { stores } = proxied.service
      const { fileId } = await proxied.service.put(bytes, { fileId: newFileId(), shared: true })
      const unshare = () => unshareFile(stores, place(fileId), { shared: true })
      const isDone = await under(fileId, operation, fault, unshare)
      if (outcome === 'right') expect(isDone).toBe(true)
      if (!isDone) await unshare()
      expect((await present(fileId))?.visibility).toBe('private')
      const listed = await proxied.service.list({}, { user: 'bob' })
      expect(listed.text).not.toContain(fileId)
    },
  )
})

describe.concurrent('a deletion that is acknowledged holds, when', () => {
  test.each(cellsOf({ GetItem: dynamo, TransactWriteItems: dynamo, DELETE: s3Cases }))(
    '%s %s',
    async (operation, _, { fault, outcome }) => {
      const { stores } = proxied.service
      const { fileId, objectKey } = await proxied.service.put(bytes, { fileId: newFileId() })
      const isDone = await under(fileId, operation, fault, () => removeFile(stores, place(fileId)))
      if (outcome === 'right') expect(isDone).toBe(true)
      if (!isDone) await removeFile(stores, place(fileId)).catch(expectGone)
      expect((await present(fileId))?.state).toBe('deleted')
      expect(await stores.objects.head(objectKey)).toBeUndefined()
    },
  )
})

/** The first attempt had already written the tombstone. */
function expectGone(error: unknown): void {
  expect(error).toMatchObject({ code: 'not-found' })
}

describe.concurrent('a file is stored whole or is seen by nobody, when', () => {
  test.each(cellsOf({ PUT: s3Cases, TransactWriteItems: dynamo }))(
    '%s %s',
    async (operation, _, { fault, outcome }) => {
      const { stores } = proxied.service
      const fileId = newFileId()
      const input = { workspaceId: 'acme', ownerId: 'ana', name: 'a.txt', fileId }
      const isDone = await under(fileId, operation, fault, () => storeFile(stores, input, bytes))
      if (outcome === 'right') expect(isDone).toBe(true)
      const state = (await present(fileId))?.state
      if (isDone) expect(state).toBe('ready')
      if (state !== 'ready') {
        expect((await proxied.service.read(`files://${fileId}`)).body.error.code).toBe(-32002)
        await storeFile(stores, input, bytes)
      }
      expect((await proxied.service.read(`files://${fileId}`)).body.result.contents[0].text).toBe(
        bytes.toString(),
      )
    },
  )
})
