/**
 * What is to be done about a key, for every state of its file and of its object.
 */
import { expect, test } from 'vitest'
import type { FileItem } from '../lib/file.ts'
import { judge, readKey } from '../lib/verdict.ts'

const key = 'files/acme/ana/fl_0123456789abcdef01234567/a.txt'
const content = {
  type: 'text/plain',
  size: 1,
  storedSize: 1,
  etag: '"one"',
  versionId: 'v1',
  charset: 'utf-8',
  gzip: false,
  oversize: false,
}
const ready: FileItem = {
  workspaceId: 'acme',
  ownerId: 'ana',
  fileId: 'fl_0123456789abcdef01234567',
  state: 'ready',
  name: 'a.txt',
  createdAt: '2026-01-01T00:00:00.000Z',
  tags: [],
  visibility: 'private',
  readers: [],
  objectKey: key,
  revision: 3,
  content,
  formerReaders: [],
  formerlyShared: false,
  expiresAtSec: undefined,
}
const pending: FileItem = { ...ready, state: 'pending', content: undefined }
const byHost: FileItem = { ...ready, state: 'deleted', deletedBy: 'host' }
const byBucket: FileItem = { ...ready, state: 'deleted', deletedBy: 'bucket' }
const byNobodyKnown: FileItem = { ...ready, state: 'deleted' }
const same = { etag: '"one"', versionId: 'v1', size: 1 }

test.each([
  ['no file and an object', undefined, same, 'index'],
  ['no file and no object', undefined, undefined, 'entomb'],
  ['a file that is announced, and its object', pending, same, 'index'],
  ['a file that is announced, and no object yet', pending, undefined, 'nothing'],
  ['a file at its version', ready, same, 'nothing'],
  ['a file of an older version', ready, { etag: '"two"', versionId: 'v2', size: 1 }, 'index'],
  ['the same bytes as another version', ready, { etag: '"one"', versionId: 'v2', size: 1 }, 'index'],
  ['a file whose size was told wrongly', ready, { etag: '"one"', versionId: 'v1', size: 2 }, 'index'],
  ['a file without its object', ready, undefined, 'entomb'],
  ['a file that the host deleted, and its object', byHost, same, 'finish-removal'],
  ['a file that the host deleted, and no object', byHost, undefined, 'nothing'],
  ['a tombstone of nobody known, and its object', byNobodyKnown, same, 'finish-removal'],
  ['a file that went with its object, which is there again', byBucket, same, 'index'],
  ['a file that went with its object', byBucket, undefined, 'nothing'],
] as const)('%s', (_, file, found, verdict) => {
  expect(judge(key, file, found)).toBe(verdict)
})

test.each([ready, pending, byHost, byBucket])(
  'an object under another key of the same id is refused',
  (file) => {
    const other = 'files/acme/ben/fl_0123456789abcdef01234567/a.txt'
    expect(judge(other, file, same)).toBe('refuse')
    expect(judge(other, file, undefined)).toBe('nothing')
  },
)

test('a key says whose file it is', () => {
  expect(readKey('files/a%2Fb/auth0%7C5/fl_0123456789abcdef01234567')).toEqual({
    workspaceId: 'a/b',
    ownerId: 'auth0|5',
    fileId: 'fl_0123456789abcdef01234567',
  })
})

const outside = 'the key is not files/<workspace>/<owner>/<file id>[/<name>]'
const nobody = 'workspace and owner must be 1 to 128 visible ASCII characters'

test.each([
  ['', outside],
  ['notes.txt', outside],
  ['files/acme/ana/notes.txt', outside],
  ['files/acme/ana/fl_0123456789abcdef01234567/', outside],
  ['files/acme/ana/fl_0123456789abcdef01234567/a/b', outside],
  ['files/acme/ana/fl_0123456789ABCDEF01234567/a', outside],
  ['files//ana/fl_0123456789abcdef01234567/a', outside],
  ['files/acme/a b/fl_0123456789abcdef01234567/a', outside],
  ['files/acme/100%/fl_0123456789abcdef01234567/a', outside],
  ['files/acme/a%20b/fl_0123456789abcdef01234567/a', nobody],
  [`files/${'w'.repeat(129)}/ana/fl_0123456789abcdef01234567/a`, nobody],
  ['files/acme/%C3%BC/fl_0123456789abcdef01234567/a', nobody],
])('the key %j can be nobody’s file', (key, refused) => {
  expect(readKey(key)).toEqual({ refused })
})
