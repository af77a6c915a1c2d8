/**
 * The supply chain: where packages come from, by which checksum they are known, what they run, under which licence.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockedPackages } from '../../infra/supply/packages.ts'

test('every package is from the registry, known by its checksum, runs nothing when installed, and may be used', () => {
  const packages = lockedPackages('.')
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter(({ problems }) => problems.length > 0)).toEqual([])
})

test('every direct dependency is of one exact version', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const version of Object.values({ ...dependencies, ...devDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  }
})

test('what is wrong with a package is told', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'supply-'))
  const registry = 'https://registry.npmjs.org/a/-/a-1.0.0.tgz'
  await writeFile(join(dir, 'package.json'), '{"allowScripts":{"refused":false}}')
  await writeFile(
    join(dir, 'package-lock.json'),
    JSON.stringify({
      packages: {
        '': { version: '1.0.0' },
        'node_modules/good': { version: '1.0.0', resolved: registry, integrity: 'sha512-x', license: 'MIT' },
        'node_modules/refused': {
          version: '1.0.0',
          resolved: registry,
          integrity: 'sha512-x',
          license: 'ISC',
          hasInstallScript: true,
        },
        'node_modules/bad': {
          version: '1.0.0',
          resolved: 'git+ssh://x',
          license: 'GPL-3.0',
          hasInstallScript: true,
        },
      },
    }),
  )
  expect(lockedPackages(dir).map(({ name, problems }) => [name, problems])).toEqual([
    [
      'bad',
      [
        'not from the registry',
        'without a SHA-512 checksum',
        'has an install script that is not refused',
        'the licence GPL-3.0 is not accepted',
      ],
    ],
    ['good', []],
    ['refused', []],
  ])
  await rm(dir, { recursive: true })
})
