import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Audience,
  bucketKey,
  type Facet,
  fileKey,
  listingKey,
  listingSortKey,
  objectKey,
  parseObjectKey,
} from '../lib/keys.ts'

/** Identifiers that are dense in separators, escapes and look-alikes, so that a collision would be found soon. */
const identifier = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab#/%:2F3.~|'), minLength: 1, maxLength: 6 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 128 }),
)
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'a#/%:2F3.é', '\u0301', '😀'), minLength: 1, maxLength: 6 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
)
const fileId = fc.oneof(
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 })
    .map((hex) => `fl_${hex}`),
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...'0az9'), minLength: 1, maxLength: 32 }),
      fc.string({ unit: fc.constantFrom(...'09af'), minLength: 8, maxLength: 8 }),
    )
    .map(([base36, hex]) => `fl_${base36}_${hex}`),
)
const objectName = fc.record(
  { workspaceId: identifier, ownerId: identifier, fileId, name: anyText },
  { requiredKeys: ['workspaceId', 'ownerId', 'fileId'] },
)

/** Every string of 1 to `length` characters of an alphabet of separators and escapes. */
function strings(length: number, alphabet = [...'a2#%/:']): string[] {
  if (length === 0) return []
  const shorter = strings(length - 1)
  return [...alphabet, ...alphabet.flatMap((c) => shorter.map((rest) => c + rest))]
}

function pairs<A, B>(as: readonly A[], bs: readonly B[]): [A, B][] {
  return as.flatMap((a) => bs.map((b): [A, B] => [a, b]))
}

function expectDistinct(keys: readonly string[]): void {
  expect(keys.length - new Set(keys).size).toBe(0)
}

const [file, other] = ['fl_0123456789abcdef01234567', 'fl_a_01234567']

describe('no two inputs make the same key', () => {
  test('of a file item', () => {
    expectDistinct(pairs(strings(3), [file, other]).map((parts) => fileKey(...parts).pk))
  })

  test('of a token bucket', () => {
    expectDistinct(pairs(strings(3), strings(3)).map((parts) => bucketKey(...parts)))
  })

  test('of a listing partition', () => {
    const names = ['shared', 'all', 'user', 'tag', 'user:a', 'tag:a', 'type:a', ...strings(2)]
    const audiences: Audience[] = ['shared', ...names.map((userId) => ({ userId }))]
    const facets: Facet[] = ['all', ...names.flatMap((name) => [{ tag: name }, { essence: name }])]
    const keys = pairs(strings(1), pairs(audiences, facets)).map(([w, [who, what]]) =>
      listingKey(w, who, what),
    )
    expectDistinct(keys)
  })

  test('of an object', () => {
    const names = [undefined, file, ...strings(1)]
    const keys = pairs(pairs(strings(2), strings(2)), pairs([file, other], names)).map(
      ([[workspaceId, ownerId], [fileId, name]]) =>
        objectKey({ workspaceId, ownerId, fileId, ...(name === undefined ? {} : { name }) }),
    )
    expectDistinct(keys)
  })

  test('when they are any Unicode', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { minLength: 30, maxLength: 60 }), (texts) => {
        expectDistinct(texts.map((tag) => listingKey('w', 'shared', { tag })))
        expectDistinct(texts.map((name) => objectKey({ ...named('w', 'u'), name })))
      }),
    )
  })

  test.each([
    [bucketKey('a', 'b#c'), bucketKey('a#b', 'c')],
    [bucketKey('a', '%23'), bucketKey('a', '#')],
    [listingKey('w', { userId: 'shared' }, 'all'), listingKey('w', 'shared', 'all')],
    [listingKey('w', { userId: 'u' }, { tag: 'all' }), listingKey('w', { userId: 'u' }, 'all')],
    [listingKey('w', { userId: 'u' }, { tag: 'x' }), listingKey('w', { userId: 'u' }, { essence: 'x' })],
    [listingKey('w', { userId: 'u#tag:x' }, 'all'), listingKey('w', { userId: 'u' }, { tag: 'x#all' })],
    [listingKey('w#shared', 'shared', 'all'), listingKey('w', 'shared', 'all')],
    [listingKey('w', 'shared', { tag: 'é' }), listingKey('w', 'shared', { tag: 'e\u0301' })],
    [objectKey(named('a/b', 'c')), objectKey(named('a', 'b/c'))],
    [objectKey(named('..', 'c')), objectKey(named('%2E%2E', 'c'))],
  ])('%s is not %s', (a, b) => {
    expect(a).not.toBe(b)
  })
})

test('a listing is in order of time, then of id', () => {
  const time = fc.date({ min: new Date(0), max: new Date('2999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(time, fileId, time, fileId, (timeA, a, timeB, b) => {
      const inOrder = timeA.getTime() - timeB.getTime() || (a < b ? -1 : Number(a > b))
      const keyA = listingSortKey(timeA.toISOString(), a)
      const keyB = listingSortKey(timeB.toISOString(), b)
      expect(Math.sign(inOrder)).toBe(keyA < keyB ? -1 : Number(keyA > keyB))
    }),
  )
})

describe('the key of an object', () => {
  test('is taken apart into what it was made of', () => {
    fc.assert(
      fc.property(objectName, (name) => {
        expect(parseObjectKey(objectKey(name))).toEqual(name)
      }),
      { numRuns: 1_000 },
    )
  })

  test('has as many separators as parts, and no part that a path would fold', () => {
    fc.assert(
      fc.property(objectName, (name) => {
        const parts = objectKey(name).split('/')
        expect(parts).toHaveLength('name' in name ? 5 : 4)
        expect(parts).not.toContain('.')
        expect(parts).not.toContain('..')
        expect(parts).not.toContain('')
      }),
    )
  })

  test('that is parsed at all is the very key that its parts make', () => {
    const foreign = fc
      .array(fc.oneof(anyText, fileId, fc.constantFrom('files', 'a', '%41', '%2f', '%2F', '', '.')), {
        maxLength: 6,
      })
      .map((parts) => ['files', ...parts].join('/'))
    fc.assert(
      fc.property(foreign, (key) => {
        const parsed = parseObjectKey(key)
        if (parsed) expect(objectKey(parsed)).toBe(key)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '',
    'files',
    'files/acme/ana',
    'files/acme/ana/',
    'files/acme/ana/fl_0123456789abcdef01234567/',
    'files/acme/ana/fl_0123456789abcdef01234567/a/b',
    'files/acme/ana/fl_0123456789ABCDEF01234567',
    'files/acme/ana/fl_0123456789abcdef0123456',
    'files/acme/ana/report.pdf',
    'files//ana/fl_0123456789abcdef01234567',
    'files/acme//fl_0123456789abcdef01234567',
    '/files/acme/ana/fl_0123456789abcdef01234567',
    'Files/acme/ana/fl_0123456789abcdef01234567',
    'other/acme/ana/fl_0123456789abcdef01234567',
    'files/../ana/fl_0123456789abcdef01234567',
    'files/ac%6De/ana/fl_0123456789abcdef01234567',
    'files/acme/a%2fb/fl_0123456789abcdef01234567',
    'files/acme/a b/fl_0123456789abcdef01234567',
    'files/acme/%E0%A4%A/fl_0123456789abcdef01234567',
    'files/acme/ana/fl_0123456789abcdef01234567/é',
    'files/acme/ana/fl_0123456789abcdef01234567/%ED%A0%80',
    'files/acme/ana/fl_0123456789abcdef01234567\n',
  ])('%j is foreign', (key) => {
    expect(parseObjectKey(key)).toBe(undefined)
  })
})

function named(workspaceId: string, ownerId: string) {
  return { workspaceId, ownerId, fileId: 'fl_0123456789abcdef01234567' }
}
