/**
 * The judge of histories, on histories whose verdict is known.
 */
import { expect, test } from 'vitest'
import { firstWrong } from './history.ts'

const at = (began: number, ended: number, value: string) => ({ began, ended, value })
const writes = [at(0, 0, 'shared'), at(10, 20, 'private'), at(30, 40, 'shared')]

test.each([
  ['a read before the change', [at(1, 5, 'shared')]],
  ['a read during the change that sees what was', [at(12, 15, 'shared')]],
  ['a read during the change that sees what will be', [at(12, 15, 'private')]],
  ['a read after the change', [at(21, 25, 'private')]],
  ['a read over both changes', [at(5, 50, 'private')]],
  ['reads that overlap and see new and old', [at(11, 14, 'private'), at(12, 15, 'shared')]],
])('%s is right', (_, reads) => {
  expect(firstWrong(writes, reads)).toBeUndefined()
})

test.each([
  ['what was, after the change was acknowledged', [at(21, 25, 'shared')]],
  ['what will be, before it was asked for', [at(1, 5, 'private')]],
  ['the old value after another read saw the new one', [at(11, 13, 'private'), at(14, 15, 'shared')]],
  ['a value that never was', [at(1, 50, 'public')]],
])('a read of %s is wrong', (_, reads) => {
  expect(firstWrong(writes, reads)).toEqual(reads.at(-1))
})
