/**
 * The package as a host gets it: packed, put into an empty project, type-checked as strictly as can be under each module
 * resolution, and run.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildHostPackage } from '../../infra/host/package.ts'

const run = promisify(execFile)
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

const program = `
import { Client as Client2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { type ClientOptions, createFileResolverClient } from 'file-resolver-host'
import { defaultCapability, extensionKey } from 'file-resolver-host/capability'
import { httpCeilings, stdioCeilings } from 'file-resolver-host/ceilings'
import { FileResolverError } from 'file-resolver-host/errors'
import { reservedKeys, stripReservedMeta } from 'file-resolver-host/meta'
import { createHostResourcesResolver, noRateLimit } from 'file-resolver-host/resolver'
import { createFileHost as createFileHost1 } from 'file-resolver-host/sdk1'
import { createFileHost as createFileHost2 } from 'file-resolver-host/sdk2'
import { isRateLimited, retryAfterMs } from 'file-resolver-host/throttled'
import { createSigner } from 'file-resolver-host/token'
import { createTurns } from 'file-resolver-host/turns'

const options: ClientOptions = { url: 'http://127.0.0.1:9', token: () => 'x', capability: defaultCapability }
const resolver = createFileResolverClient(options)
const connection = { resolver, workspaceId: 'acme', serverId: 'reports', currentUser: () => 'ana' }
await createFileHost1({ ...connection, ...stdioCeilings }).attach(new Client1({ name: 'host', version: '1' }))
await createFileHost2({ ...connection, ...httpCeilings }).attach(new Client2({ name: 'host', version: '1' }))
createHostResourcesResolver({ resolver, currentUser: () => 'ana' })
noRateLimit.check('acme', 'reports')
await createTurns().run('ana', async () => {})
const error = new FileResolverError(-32004, 'x', { data: { retryAfterMs: 700 } })
const text: string = stripReservedMeta({ text: 'x', _meta: { [reservedKeys.infraError]: true } }).text
console.log(text, extensionKey, isRateLimited(error), retryAfterMs(error), typeof createSigner)
`

let project: string
let packed: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'file-resolver-host-'))
  const built = join(project, 'built')
  await buildHostPackage(built)
  const { stdout } = await run('npm', ['pack', built, '--json', '--pack-destination', project])
  packed = join(project, 'node_modules/file-resolver-host')
  await mkdir(packed, { recursive: true })
  await run('tar', [
    '-xzf',
    join(project, JSON.parse(stdout)[0].filename),
    '-C',
    packed,
    '--strip-components=1',
  ])
  for (const name of ['jose', '@modelcontextprotocol', '@types', 'zod', 'undici-types']) {
    await symlink(join(modules, name), join(project, 'node_modules', name))
  }
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await writeFile(join(project, 'main.ts'), program)
}, 120_000)

afterAll(() => rm(project, { recursive: true, force: true }))

test('jose is the only dependency, the SDKs are optional peers', async () => {
  const manifest = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'))
  expect(Object.keys(manifest.dependencies)).toEqual(['jose'])
  expect(Object.keys(manifest.peerDependencies)).toEqual([
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/sdk',
  ])
  for (const name of Object.keys(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
  }
})

test('what is packed imports jose and, in the drop-in alone, an SDK', async () => {
  const imported: Record<string, string[]> = {}
  for (const file of await readdir(packed, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    for (const [, name] of (await readFile(join(packed, file), 'utf8')).matchAll(/from '([^.'][^']*)'/g)) {
      imported[String(name)] = [...(imported[String(name)] ?? []), file]
    }
  }
  expect(imported).toEqual({
    jose: ['token.js'],
    '@modelcontextprotocol/sdk/types.js': ['host/resolver.js'],
  })
})

describe.each([
  ['Node16', 'Node16'],
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
])('module %s, resolution %s', (module, moduleResolution) => {
  test('a program that uses every entry type-checks, the types of the package too', async () => {
    const compiler = join(modules, 'typescript/bin/tsc')
    const flags = { module, moduleResolution, target: 'ES2022', lib: 'ES2023', types: 'node', strict: 'true' }
    const strictest = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax']
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
    const checked = run(
      process.execPath,
      [compiler, '--outDir', 'out', ...args, ...strictest, '--skipLibCheck', 'main.ts'],
      {
        cwd: project,
      },
    )
    await expect(checked).resolves.toMatchObject({ stdout: '' })
  }, 60_000)
})

test('the program runs', async () => {
  const { stdout } = await run(process.execPath, ['out/main.js'], { cwd: project })
  expect(stdout).toBe('x ai.nimblebrain/host-resources true 700 function\n')
})
