/**
 * The bundles that are deployed: the same bytes whoever builds them, small, and without what the function does not use.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Built, buildFunctions, functionNames } from '../../infra/bundle.ts'

let dirs: string[]
let outputs: Built
beforeAll(async () => {
  dirs = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'bundle-'))))
  for (const dir of dirs) outputs = await buildFunctions(dir)
})
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true }))))

function bundleOf(dir: string | undefined, name: string): Promise<Buffer> {
  return readFile(join(dir ?? '', name, 'index.mjs'))
}

/** The packages that a bundle contains something of. */
function packagesIn(name: string): string[] {
  const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`${name}/index.mjs`)) ?? []
  const paths = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  )
  return [...new Set(paths.map((path) => /node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'own'))]
}

test('every function has a bundle, and the wiring that they share is none', async () => {
  const names = await functionNames()
  expect(names).toContain('resolver')
  expect(names).not.toContain('wiring')
  for (const name of names) expect((await bundleOf(dirs[0], name)).length).toBeGreaterThan(0)
})

test('two builds into two folders are the same bytes', async () => {
  for (const name of await functionNames()) {
    expect((await bundleOf(dirs[0], name)).equals(await bundleOf(dirs[1], name))).toBe(true)
  }
})

test('the resolver is at most 560 KiB, so that a cold start stays short', async () => {
  expect((await bundleOf(dirs[0], 'resolver')).length).toBeLessThanOrEqual(560 * 1_024)
})

test('the resolver holds neither the credential chain nor the tables of types by file name', () => {
  const packages = packagesIn('resolver')
  expect(packages).toEqual(expect.arrayContaining(['hono', 'jose', 'zod', '@aws-sdk/client-s3']))
  expect(packages.filter((name) => name.includes('credential-provider'))).toEqual([])
  expect(packages).not.toContain('mime')
})

test('no bundle tells where it was built', async () => {
  for (const name of await functionNames()) {
    expect((await bundleOf(dirs[0], name)).toString('latin1')).not.toContain(process.cwd())
  }
})
