/**
 * Composite keys as literals; that no two inputs collide is a property of its own.
 */
import { expect, test } from 'vitest'
import {
  bucketKey,
  decodeFormKey,
  decodePart,
  encodePart,
  fileIdPattern,
  fileKey,
  fileOfRow,
  isListingKey,
  listingKey,
  listingSortKey,
  noFileId,
  objectKey,
  objectPrefix,
  parseObjectKey,
} from '../lib/keys.ts'

test.each([
  ['abc-XYZ_0.9~', 'abc-XYZ_0.9~'],
  ['a b', 'a%20b'],
  ['a/b#c:d%e', 'a%2Fb%23c%3Ad%25e'],
  ["(it's)*!^+", '%28it%27s%29%2A%21%5E%2B'],
  ['é東', '%C3%A9%E6%9D%B1'],
  ['.', '%2E'],
  ['..', '%2E%2E'],
  ['...', '...'],
  ['', ''],
])('the part %j is encoded as %s, and back', (part, encoded) => {
  expect(encodePart(part)).toBe(encoded)
  expect(decodePart(encoded)).toBe(part)
})

test.each(['a b', 'a%2fb', '%41', '%', '%C3', '%ZZ', 'é', '.', '..', '+ '])(
  '%j is no encoded part',
  (encoded) => {
    expect(decodePart(encoded)).toBeUndefined()
  },
)

const fileId = 'fl_0123456789abcdef01234567'

test('the object key is the path of workspace, owner, id and name', () => {
  const place = { workspaceId: 'acme', ownerId: 'auth0|5f', fileId }
  expect(objectKey(place)).toBe('files/acme/auth0%7C5f/fl_0123456789abcdef01234567')
  expect(objectKey({ ...place, name: 'a/../b c.pdf' })).toBe(
    'files/acme/auth0%7C5f/fl_0123456789abcdef01234567/a%2F..%2Fb%20c.pdf',
  )
})

test('an object key is taken apart into what it was made of', () => {
  expect(parseObjectKey(`files/acme/auth0%7C5f/${fileId}/a%2Fb.pdf`)).toEqual({
    workspaceId: 'acme',
    ownerId: 'auth0|5f',
    fileId,
    name: 'a/b.pdf',
  })
  expect(parseObjectKey(`files/acme/ana/${fileId}`)).toEqual({ workspaceId: 'acme', ownerId: 'ana', fileId })
})

test.each([
  '',
  'files',
  'files/',
  `files/acme/${fileId}`,
  `files/acme/ana/${fileId}/`,
  `files/acme/ana/${fileId}/a/b`,
  `/files/acme/ana/${fileId}`,
  `Files/acme/ana/${fileId}`,
  `files//ana/${fileId}`,
  `files/acme//${fileId}`,
  `files/acme/./${fileId}`,
  `files/acme/../${fileId}`,
  `files/acme/a b/${fileId}`,
  `files/acme/a%2fb/${fileId}`,
  `files/acme/ana/${fileId}/a b`,
  `files/acme/ana/${fileId}/%`,
  'files/acme/ana/fl_abc123',
  'files/acme/ana/other',
])('%j is outside the layout', (key) => {
  expect(parseObjectKey(key)).toBeUndefined()
})

test('the keys of the tables', () => {
  expect(fileKey('a#b', fileId)).toEqual({ pk: `file#a%23b#${fileId}`, sk: 'file' })
  expect(listingKey('acme', { userId: 'shared' }, 'all')).toBe('list#acme#user:shared#all')
  expect(listingKey('acme', 'shared', 'all')).toBe('list#acme#shared#all')
  expect(listingKey('acme', { userId: 'a#b' }, { tag: 'c:d' })).toBe('list#acme#user:a%23b#tag:c%3Ad')
  expect(listingKey('acme', 'shared', { essence: 'text/csv' })).toBe('list#acme#shared#type:text%2Fcsv')
  expect(listingSortKey('2026-01-02T03:04:05.678Z', fileId)).toBe(`2026-01-02T03:04:05.678Z#${fileId}`)
  expect(bucketKey('a#b', 'c')).toBe('a%23b#c')
  expect(bucketKey('a', 'b#c')).toBe('a#b%23c')
})

test.each([fileId, 'fl_a_00000000', `fl_${'z'.repeat(32)}_0123abcd`])('%s is a file id', (id) => {
  expect(fileIdPattern.test(id)).toBe(true)
})

test.each([
  'none',
  'fl_',
  'fl_abc123',
  'FL_0123456789abcdef01234567',
  'fl_0123456789ABCDEF01234567',
  'fl_0123456789abcdef0123456',
  'fl_0123456789abcdef012345678',
  'fl_0123456789abcdef01234567\n',
  ' fl_0123456789abcdef01234567',
  'fl__00000000',
  `fl_${'z'.repeat(33)}_0123abcd`,
  'fl_a_0123abcde',
  'fl_a_b_01234567',
  'fl_ａ_00000000',
])('%j is no file id', (id) => {
  expect(fileIdPattern.test(id)).toBe(false)
})

test('a row tells of which file it is, and what is no row tells nothing', () => {
  const sk = '2026-01-01T00:00:00.000Z#fl_0123456789abcdef01234567'
  const file = { workspaceId: 'a#b', fileId: 'fl_0123456789abcdef01234567' }
  expect(fileOfRow({ pk: 'list#a%23b#shared#all', sk })).toEqual(file)
  expect(isListingKey('list#a#shared#all')).toBe(true)
  for (const [pk, sort] of [
    ['file#a%23b#fl_0123456789abcdef01234567', sk],
    ['a#list#', sk],
    ['list#', sk],
    ['list#%#shared#all', sk],
    ['list#a', 'fl_0123456789abcdef0123456'],
    ['list#a', `x${sk}#`],
    ['x', 'file'],
  ] as const) {
    expect(fileOfRow({ pk, sk: sort })).toBeUndefined()
  }
  expect(isListingKey('file#list#')).toBe(false)
})

test('a key of a form is decoded once, with plus for a space', () => {
  expect(decodeFormKey('a+b%2Bc%252B+')).toBe('a b+c%2B ')
})

test('the names that others rely on are these', () => {
  expect([objectPrefix, noFileId]).toEqual(['files/', 'none'])
})
