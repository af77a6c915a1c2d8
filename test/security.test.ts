/**
 * Every promise of the threat model names tests, and they exist.
 */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('each test that docs/security.md names exists', () => {
  const paths = Array.from(
    readFileSync('docs/security.md', 'utf8').matchAll(/`((?:test|infra|docs)\/[^`]+)`/g),
    ([, path]) => path ?? '',
  )
  expect(paths.length).toBeGreaterThan(25)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})
