/**
 * One client of a soak: it stores, shares, tags and deletes files of its workspace, reads and lists them as three users,
 * and compares every answer with what it knows. What storage's failures make uncertain it does again until it is done.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { retagFile, shareFile, unshareFile } from '../../lib/change.ts'
import type { FileStores } from '../../lib/complete.ts'
import { ResolverError } from '../../lib/errors.ts'
import { describeError } from '../../lib/log.ts'
import { removeFile } from '../../lib/remove.ts'
import { newFileId, storeFile } from '../../lib/store.ts'
import { bytesOf, drawSize } from './content.ts'

/** What a client works with. */
export interface SoakDeps {
  readonly port: number
  readonly stores: FileStores
  token(workspaceId: string, userId: string): Promise<string>
  /** Told of each call: what it was and what came of it; `wrong` tells more. */
  record(call: string, outcome: string, wrong?: string): void
  /** Told which act of a client is under way, and that none is. */
  began(workspaceId: string, act: string | undefined): void
  /** Some file of another workspace. */
  foreign(workspaceId: string): string | undefined
  isOver(): boolean
}

interface Known {
  readonly fileId: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly createdAtMs: number
  shared: boolean
  readers: string[]
  tags: string[]
}

const users = ['ana', 'bob', 'eve'] as const
const maxFiles = 12

/** Between two acts, at most: clients, storage and service share a machine, and it is not its speed that is tested. */
const maxPauseMs = 1_000

/** Runs until the soak is over; `files` is told which files there are. */
export async function runClient(
  deps: SoakDeps,
  workspaceId: string,
  files: Map<string, Known>,
): Promise<void> {
  let count = 0
  const acts = [
    put,
    put,
    change,
    change,
    change,
    remove,
    read,
    read,
    read,
    read,
    read,
    list,
    list,
    list,
    list,
  ]
  while (!deps.isOver()) {
    const act = pick(acts)
    deps.began(workspaceId, act.name)
    await act()
    deps.began(workspaceId, undefined)
    await sleep(Math.random() * maxPauseMs)
  }

  /** Does it again while storage is in trouble; `done` are the codes that say that it was done before. */
  async function insist(call: string, done: readonly string[], run: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await run()
        return deps.record(call, 'right')
      } catch (error) {
        const code = error instanceof ResolverError ? error.code : 'none'
        if (done.includes(code)) return deps.record(call, 'done before')
        if (code !== 'unavailable') return deps.record(call, 'wrong', describeError(error))
        deps.record(call, 'outage')
      }
    }
  }

  async function put() {
    if (files.size >= maxFiles) return remove()
    count += 1
    const isText = Math.random() < 0.5
    const file: Known = {
      fileId: newFileId(),
      name: `${count}.${isText ? 'txt' : 'bin'}`,
      type: isText ? 'text/plain' : 'application/octet-stream',
      size: drawSize(Math.random()),
      createdAtMs: Date.now(),
      shared: Math.random() < 0.3,
      readers: Math.random() < 0.3 ? ['bob'] : [],
      tags: Math.random() < 0.5 ? ['hot'] : [],
    }
    const { fileId, name, createdAtMs, shared, readers, tags } = file
    const input = { workspaceId, ownerId: 'ana', fileId, name, createdAtMs, shared, readers, tags }
    await insist('put', ['exists'], () => storeFile(deps.stores, input, bytesOf(fileId, file.size)))
    files.set(fileId, file)
  }

  async function change() {
    const file = pick([...files.values()])
    if (!file) return put()
    const ref = { workspaceId, fileId: file.fileId }
    const act = Math.floor(Math.random() * 5)
    if (act === 0) {
      await insist('share', [], () => shareFile(deps.stores, ref, { shared: true }))
      file.shared = true
    } else if (act === 1) {
      await insist('unshare', [], () => unshareFile(deps.stores, ref, { shared: true }))
      file.shared = false
    } else if (act === 2) {
      await insist('share', [], () => shareFile(deps.stores, ref, { readers: ['bob'] }))
      file.readers = ['bob']
    } else if (act === 3) {
      await insist('unshare', [], () => unshareFile(deps.stores, ref, { readers: ['bob'] }))
      file.readers = []
    } else {
      const tags = pick([[], ['hot'], ['cold', 'hot']]) ?? []
      await insist('retag', [], () => retagFile(deps.stores, ref, tags))
      file.tags = tags
    }
  }

  async function remove() {
    const file = pick([...files.values()])
    if (!file) return
    await insist('rm', ['not-found'], () => removeFile(deps.stores, { workspaceId, fileId: file.fileId }))
    files.delete(file.fileId)
  }

  async function read() {
    const user = pick(users) ?? 'ana'
    const file = Math.random() < 0.9 ? pick([...files.values()]) : undefined
    const uri = `files://${file?.fileId ?? deps.foreign(workspaceId) ?? newFileId()}`
    const right =
      file && sees(user, file)
        ? { result: { contents: [contentOf(file)] } }
        : { error: { code: -32002, message: 'Resource not found', data: { uri } } }
    await ask('read', user, 'ai.nimblebrain/resources/read', { uri }, right)
  }

  async function list() {
    const user = pick(users) ?? 'ana'
    const tags = pick([[], ['hot'], ['cold'], ['cold', 'hot']]) ?? []
    const resources = [...files.values()]
      .filter((file) => sees(user, file) && tags.every((tag) => file.tags.includes(tag)))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.fileId < b.fileId ? -1 : 1))
      .map(({ fileId, name, type, size }) => ({ uri: `files://${fileId}`, name, mimeType: type, size }))
    await ask(
      'list',
      user,
      'ai.nimblebrain/resources/list',
      { _meta: { filter: { tags } } },
      { result: { resources } },
    )
  }

  async function ask(
    call: string,
    user: string,
    method: string,
    params: object,
    right: object,
  ): Promise<void> {
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await post(deps.port, await deps.token(workspaceId, user), frame)
    const expected = JSON.stringify({ jsonrpc: '2.0', id: 1, ...right })
    if (answer.isWhole && answer.status === 200 && answer.text === expected) return deps.record(call, 'right')
    if (answer.status === 503 && answer.text === outage) return deps.record(call, 'outage')
    if (answer.isWhole && refusal.test(answer.text)) return deps.record(call, 'refused')
    if (!answer.isWhole && expected.startsWith(answer.text) && answer.text !== expected)
      return deps.record(call, 'broken')
    deps.record(
      call,
      'wrong',
      `${frame} as ${user}: ${answer.status} ${answer.text.slice(0, 500)} instead of ${expected.slice(0, 500)}`,
    )
  }
}

const outage = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'
const refusal =
  /^\{"jsonrpc":"2.0","id":1,"error":\{"code":-32004,"message":"Rate limited","data":\{"retryAfterMs":\d+\}\}\}$/

function sees(user: string, file: Known): boolean {
  return user === 'ana' || file.shared || file.readers.includes(user)
}

function contentOf({ fileId, type, size }: Known) {
  const bytes = bytesOf(fileId, size)
  const head = { uri: `files://${fileId}`, mimeType: type }
  return type === 'text/plain'
    ? { ...head, text: bytes.toString() }
    : { ...head, blob: bytes.toString('base64') }
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T
}

function post(
  port: number,
  token: string,
  body: string,
): Promise<{ isWhole: boolean; status: number; text: string }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const settle = (isWhole: boolean, status = 0) =>
      resolve({ isWhole, status, text: Buffer.concat(chunks).toString() })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const req = request({ port, host: '127.0.0.1', path: '/rpc', method: 'POST', headers }, (res) => {
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => settle(true, res.statusCode))
      res.on('error', () => settle(false, res.statusCode))
    })
    req.on('error', () => settle(false))
    req.end(body)
  })
}
