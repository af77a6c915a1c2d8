/**
 * The registry of a host's own store: the last line of an id wins, and a line that says nothing is skipped and told.
 */
import { expect, test } from 'vitest'
import { readRegistry } from '../lib/registry.ts'

const one = 'fl_0123456789abcdef01234567'
const legacy = 'fl_mb3k9x_0a1b2c3d'

async function read(text: string, chunkBytes = 1 << 20) {
  async function* chunks() {
    const bytes = Buffer.from(text)
    for (let i = 0; i < bytes.length; i += chunkBytes) yield bytes.subarray(i, i + chunkBytes)
  }
  const { entries, malformed } = await readRegistry(chunks())
  return { entries: Object.fromEntries(entries), malformed }
}

const full = {
  id: one,
  filename: 'q1 + ü 東京.csv',
  mimeType: 'text/csv',
  size: 3,
  tags: ['finance', 'q1'],
  source: 'chat',
  conversationId: null,
  createdAt: '2025-03-01T10:00:00.000Z',
  description: 'numbers',
  workspaceId: 'acme',
  ownerId: 'ana',
  visibility: 'shared',
}
const file = {
  id: one,
  filename: 'q1 + ü 東京.csv',
  mimeType: 'text/csv',
  size: 3,
  tags: ['finance', 'q1'],
  createdAtMs: 1_740_823_200_000,
  shared: true,
}

test.each([1, 7, 1 << 20])('an entry is read whole, in chunks of %i bytes', async (chunkBytes) => {
  expect(await read(`${JSON.stringify(full)}\n`, chunkBytes)).toEqual({
    entries: { [one]: file },
    malformed: [],
  })
})

test('the last line of an id wins, be it a file or its deletion', async () => {
  const lines = [
    { ...full, tags: [] },
    { ...full, id: legacy, filename: 'old.txt' },
    full,
    { ...full, id: legacy, deleted: true, deletedAt: '2025-04-01T10:00:00.000Z' },
  ]
  expect(await read(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual({
    entries: { [one]: file, [legacy]: 'deleted' },
    malformed: [],
  })
})

test('a file that comes after its deletion is there', async () => {
  expect((await read(`{"id":"${one}","deleted":true}\n${JSON.stringify(full)}`)).entries).toEqual({
    [one]: file,
  })
})

test('what is absent is private, without tags, and of no known time, type or size', async () => {
  const { entries } = await read(`{"id":"${legacy}","filename":"a"}\n`)
  expect(entries[legacy]).toEqual({
    id: legacy,
    filename: 'a',
    mimeType: undefined,
    size: undefined,
    tags: [],
    createdAtMs: undefined,
    shared: false,
  })
})

test.each(['private', 'public', 'SHARED', '', null, undefined])(
  'visibility %j is private',
  async (visibility) => {
    const { entries } = await read(JSON.stringify({ ...full, visibility }))
    expect(entries[one]).toMatchObject({ shared: false })
  },
)

test('a malformed line is told with its number, and hides no earlier entry', async () => {
  const text = [
    JSON.stringify(full),
    `{"id":"${one}","filen`,
    '',
    'null',
    '{"id":"notes.txt","filename":"a"}',
    `{"id":"${one}"}`,
    `{"id":"${one}","filename":"a","tags":"finance"}`,
    `{"id":"${legacy}","filename":"a","size":-1}`,
  ].join('\n')
  const { entries, malformed } = await read(text)
  expect(entries).toEqual({ [one]: file })
  expect(malformed.map(({ line }) => line)).toEqual([2, 4, 5, 6, 7, 8])
  expect(malformed[0]).toEqual({ line: 2, reason: 'is no JSON' })
  expect(malformed[2]).toEqual({ line: 5, reason: 'id: is no file id' })
})

test('lines end at a line feed alone', async () => {
  const name = 'a\u2028b\u2029c'
  const { entries, malformed } = await read(`${JSON.stringify({ ...full, filename: name })}\r\n\r\n`)
  expect(malformed).toEqual([])
  expect(entries[one]).toMatchObject({ filename: name })
})

test('a registry of no lines is of no entries', async () => {
  expect(await read('')).toEqual({ entries: {}, malformed: [] })
})
