/**
 * Listings of more than fits into one answer of DynamoDB: every page is followed, in order, and what is rare decides
 * which partition is read.
 */
import { setImmediate } from 'node:timers/promises'
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { FileIndex, RowQuery } from '../lib/files.ts'
import { toRowItem } from '../lib/items.ts'
import { list } from '../lib/list.ts'
import { answering, onlyFor, type ProxiedService, startProxiedService } from './proxy.ts'

let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService()
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

const allFiles = 2_400
const padding = 'n'.repeat(900)
const hex = (i: number) => i.toString(16).padStart(24, '0')
/** Three files of each moment, whose ids run against the order in which they are written. */
const place = (i: number) => ({
  id: `fl_${hex(i)}`,
  at: new Date(1_700_000_000_000 + Math.floor(i / 3) * 1_000).toISOString(),
})

/** The rows of one file of workspace `big`, as the layout in docs/architecture.md says. */
function rowsOf(i: number) {
  const { id, at } = place(i)
  const type = i === allFiles - 1 ? 'text/csv; header=present' : 'text/csv; header=absent'
  const tags = [
    'all',
    ...(i % 2 === 0 ? ['even'] : []),
    ...(i % 3 === 0 ? ['third'] : []),
    ...(i % 500 === 7 ? ['rare'] : []),
  ]
  const json = JSON.stringify({ uri: `files://${id}`, name: `${padding}${i}`, mimeType: type, size: i })
  const audiences = [...(i % 4 === 0 ? [] : ['user:ana']), ...(i % 4 < 2 ? ['shared'] : [])]
  const facets = ['all', 'type:text%2Fcsv', ...tags.map((tag) => `tag:${tag}`)]
  return audiences.flatMap((audience) =>
    facets.map((facet) => ({
      pk: `list#big#${audience}#${facet}`,
      sk: `${at}#${id}`,
      json,
      type,
      tags,
      only: undefined,
    })),
  )
}

beforeAll(async () => {
  const client = new DynamoDBClient({})
  const rows = Array.from({ length: allFiles }, (_, i) => rowsOf(allFiles - 1 - i)).flat()
  const batches = Array.from({ length: Math.ceil(rows.length / 25) }, (_, i) =>
    rows.slice(i * 25, i * 25 + 25),
  )
  const write = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const files = batch.map((row) => ({ PutRequest: { Item: toRowItem(row) } }))
      await client.send(new BatchWriteItemCommand({ RequestItems: { files } }))
    }
  }
  await Promise.all([write(), write(), write(), write()])
  client.destroy()
}, 120_000)

const ana = { workspace: 'big', user: 'ana' }
const bob = { workspace: 'big', user: 'bob' }

function expected(matches: (i: number) => boolean): string[] {
  return Array.from({ length: allFiles }, (_, i) => i)
    .filter(matches)
    .map((i) => `files://${place(i).id}`)
}

async function listed(filter: unknown, who: { workspace: string; user: string }): Promise<string[]> {
  const { body } = await proxied.service.list(filter, who)
  return body.result.resources.map(({ uri }: { uri: string }) => uri)
}

describe('a listing of thousands', () => {
  test('is whole and in order, and has what is in both partitions once', async () => {
    const calls = await proxied.callsOf(async () => {
      expect(await listed(undefined, ana)).toEqual(expected(() => true))
    })
    expect(calls.length).toBeGreaterThan(4)
    expect(await listed(undefined, bob)).toEqual(expected((i) => i % 4 < 2))
  })

  test('follows a page on which nothing matched', async () => {
    const filter = { mimeType: 'text/csv; header=present' }
    expect(await listed(filter, ana)).toEqual(expected((i) => i === allFiles - 1))
    expect(await listed(filter, bob)).toEqual([])
  })

  test('with two tags that are both frequent has what carries both', async () => {
    const filter = { tags: ['even', 'third'] }
    expect(await listed(filter, ana)).toEqual(expected((i) => i % 6 === 0))
    expect(await listed(filter, bob)).toEqual(expected((i) => i % 6 === 0 && i % 4 < 2))
  })

  test('fifty at once are each whole', async () => {
    const rare = expected((i) => i % 500 === 7)
    const answers = await Promise.all(Array.from({ length: 50 }, () => listed({ tags: ['rare'] }, ana)))
    for (const answer of answers) expect(answer).toEqual(rare)
  })

  test('that fails on a later page is broken off, never complete without it', async () => {
    let queries = 0
    const fail = answering(500, '{}', 'application/x-amz-json-1.0')
    proxied.dynamo.fault = onlyFor('Query', (req, res, pass) => {
      queries += 1
      return queries > 3 ? fail(req, res, pass) : pass()
    })
    await expect(proxied.service.list(undefined, ana)).rejects.toThrow()
  })

  test('that is throttled from the start is an outage, never empty', async () => {
    const body = JSON.stringify({ __type: 'x#ProvisionedThroughputExceededException' })
    proxied.dynamo.fault = onlyFor('Query', answering(400, body, 'application/x-amz-json-1.0'))
    const answer = await proxied.service.list(undefined, ana)
    expect([answer.status, answer.body.error]).toEqual([503, { code: -32603, message: 'Internal error' }])
  })
})

test('a reader who leaves is not told of a page that fails afterwards, and nobody else is hurt', async () => {
  const { files } = proxied.service.stores
  const failed = Promise.withResolvers<void>()
  const query: FileIndex['query'] = async (asked, signal) => {
    if (asked.after === undefined) return files.query(asked, signal)
    await setImmediate()
    failed.resolve()
    throw new Error('a page that nobody waits for')
  }
  const caller = { workspaceId: 'big', userId: 'ana', serverId: 'reports' }
  const request = { caller, params: undefined, signal: AbortSignal.timeout(20_000) }
  const chunks = await list({ files: { ...files, query }, throttle: { take: async () => {} } }, request)
  await chunks.next()
  await chunks.next()
  await chunks.return(undefined)
  await failed.promise
  await setImmediate() // an unhandled rejection would end the process, and this run with it
})

describe('the planner', () => {
  /** The queries that a listing makes, and what it finds. */
  async function planned(tags: string[], mimeType?: string) {
    const { files } = proxied.service.stores
    const queries: RowQuery[] = []
    const query: FileIndex['query'] = (asked, signal) => {
      queries.push(asked)
      return files.query(asked, signal)
    }
    const filter = { tags, ...(mimeType === undefined ? {} : { mimeType }) }
    const caller = { workspaceId: 'big', userId: 'ana', serverId: 'reports' }
    const request = { caller, params: { _meta: { filter } }, signal: AbortSignal.timeout(20_000) }
    const chunks = await list({ files: { ...files, query }, throttle: { take: async () => {} } }, request)
    let text = ''
    for await (const chunk of chunks) text += chunk.toString()
    return { queries, resources: JSON.parse(text).resources }
  }

  test('looks at a hundred rows of each candidate, and reads on in none when the rare tag has ended', async () => {
    const { queries, resources } = await planned(['all', 'rare', 'even', 'third'], 'text/csv')
    expect(queries).toHaveLength(8)
    expect(queries.every(({ limit }) => limit === 100)).toBe(true)
    expect(resources).toEqual([])
    expect((await planned(['all', 'rare'])).queries).toHaveLength(4)
    expect((await planned(['rare', 'all'])).resources).toHaveLength(5)
  })

  test('reads on in the sparser partition alone when both are long', async () => {
    const { queries, resources } = await planned(['all', 'third'])
    expect(resources).toHaveLength(800)
    const further = queries.filter(({ limit }) => limit === undefined)
    expect(further.length).toBeGreaterThan(0)
    expect(new Set(further.map(({ pk }) => pk))).toEqual(
      new Set(['list#big#user:ana#tag:third', 'list#big#shared#tag:third']),
    )
  })

  test('never probes more than four partitions of an audience, whatever the order of the tags', async () => {
    const { queries, resources } = await planned(
      ['none', 'all', 'even', 'third', 'rare', 'x', 'y'],
      'text/csv',
    )
    expect(queries).toHaveLength(8)
    expect(resources).toEqual([])
  })
})

test('every filter works alone and all work together, though their attributes have reserved names', async () => {
  const { fileId } = await proxied.service.put('x', {
    workspaceId: 'small',
    type: 'text/csv; header=present',
    tags: ['name', 'size', 'type', 'owner', 'tags', 'key'],
  })
  const who = { workspace: 'small', user: 'ana' }
  const every = {
    scheme: 'files',
    mimeType: 'text/csv; header=present',
    tags: ['name', 'size', 'type', 'owner', 'tags', 'key'],
  }
  for (const filter of [
    { scheme: 'files' },
    { mimeType: 'text/csv' },
    { mimeType: every.mimeType },
    { tags: ['key'] },
    { tags: every.tags },
    { scheme: 'files', mimeType: 'text/csv', tags: ['size', 'owner'] },
    every,
  ]) {
    expect(await listed(filter, who)).toEqual([`files://${fileId}`])
  }
  expect(await listed({ ...every, tags: [...every.tags, 'other'] }, who)).toEqual([])
})

test('a filter of 64 tags of 256 bytes is understood', async () => {
  const tags = Array.from({ length: 64 }, (_, i) => String(i).padStart(2, '0').padEnd(129, 'é'))
  expect(await listed({ tags }, ana)).toEqual([])
})
