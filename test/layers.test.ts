/**
 * Who may import what: the folders' roles, upheld.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const stores = ['objects', 'files', 'items', 'buckets', 'refusals', 'survey', 'presign'].map(
  (name) => `lib/${name}.ts`,
)

const sources = ['lib', 'functions', 'infra'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const file = join(folder, path)
      const text = readFileSync(file, 'utf8')
      const imports = Array.from(
        text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g),
        ([, from]) => from ?? '',
      )
      return { file, text, imports }
    }),
)
const lib = sources.filter(({ file }) => file.startsWith('lib/'))

const offenders = (files: typeof sources, isBad: (source: (typeof sources)[number]) => boolean) =>
  files.filter(isBad).map(({ file }) => file)

test('there are sources to look at', () => {
  expect(lib.length).toBeGreaterThan(30)
  expect(lib.flatMap(({ imports }) => imports)).toContain('@aws-sdk/client-s3')
})

test('lib imports neither functions nor infra', () => {
  expect(offenders(lib, ({ imports }) => imports.some((from) => /\/(functions|infra)\//.test(from)))).toEqual(
    [],
  )
})

test('functions do not import infra', () => {
  const functions = sources.filter(({ file }) => file.startsWith('functions/'))
  expect(offenders(functions, ({ imports }) => imports.some((from) => from.includes('/infra/')))).toEqual([])
})

test('in lib only the stores know the AWS SDK', () => {
  const others = lib.filter(({ file }) => !stores.includes(file))
  expect(
    offenders(others, ({ imports }) => imports.some((from) => /^@(aws-sdk|smithy)\//.test(from))),
  ).toEqual([])
})

test('lib does not read the environment', () => {
  expect(offenders(lib, ({ text }) => text.includes('process.env'))).toEqual([])
})

test('lib and functions have named exports only', () => {
  const strict = sources.filter(({ file }) => !file.startsWith('infra/'))
  expect(offenders(strict, ({ text }) => /^export default/m.test(text))).toEqual([])
})
