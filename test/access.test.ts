import { describe, expect, test } from 'vitest'
import { canRead } from '../lib/access.ts'

const caller = { workspaceId: 'acme', userId: 'bob', serverId: 'reports' }
const file = { workspaceId: 'acme', ownerId: 'ana', visibility: 'private', readers: [] } as const

describe('in the same workspace', () => {
  test.each([
    ['a private file of another user', {}, false],
    ['a file of their own', { ownerId: 'bob' }, true],
    ['a shared file', { visibility: 'shared' as const }, true],
    ['a file that names them as reader', { readers: ['cem', 'bob'] }, true],
    ['a file that names somebody else', { readers: ['cem'] }, false],
    ['a file that names somebody whose name begins with theirs', { readers: ['bobby'] }, false],
    ['a file that names them in other letters', { readers: ['Bob', 'BOB'] }, false],
    ['a file whose owner is named like the workspace', { ownerId: 'acme' }, false],
    ['a file whose owner is named like the server', { ownerId: 'reports' }, false],
  ])('%s: %j → %s', (_, change, expected) => {
    expect(canRead(caller, { ...file, ...change })).toBe(expected)
  })
})

test.each([
  { ownerId: 'bob' },
  { visibility: 'shared' as const },
  { readers: ['bob'] },
  { ownerId: 'bob', visibility: 'shared' as const, readers: ['bob'] },
])('%j opens nothing outside its workspace', (change) => {
  for (const workspaceId of ['other', 'Acme', 'acm', 'acme2', 'acme ', '']) {
    expect(canRead(caller, { ...file, ...change, workspaceId })).toBe(false)
  }
})

test('the server that asks makes no difference', () => {
  expect(canRead({ ...caller, serverId: 'ana' }, file)).toBe(false)
  expect(canRead({ ...caller, userId: 'ana', serverId: 'another' }, file)).toBe(true)
})
