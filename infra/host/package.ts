/**
 * The package that a host installs, built from `lib/host` and the few pure modules that it uses: ES modules, their
 * types, and a package.json whose only dependency is jose.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Name of the package. */
export const hostPackage = 'file-resolver-host'

/** What can be imported from it, and the module of `lib` behind each. */
export const entries = {
  '.': 'host/client',
  './token': 'token',
  './errors': 'host/errors',
  './throttled': 'host/throttled',
  './capability': 'host/capability',
  './ceilings': 'host/ceilings',
  './meta': 'host/meta',
  './sdk1': 'host/sdk1',
  './sdk2': 'host/sdk2',
  './turns': 'host/turns',
  './resolver': 'host/resolver',
} as const

/** Builds the package into the folder, which is emptied first. */
export async function buildHostPackage(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  await emit(dir)
  await rewriteTypes(dir)
  await writeFile(join(dir, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
  await copyFile(join(root, 'docs/hosts.md'), join(dir, 'README.md'))
  await copyFile(join(root, 'docs/servers.md'), join(dir, 'servers.md'))
}

async function emit(dir: string): Promise<void> {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  const compiler = join(typescript, 'bin/tsc')
  await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    join(root, 'infra/host'),
    '--outDir',
    dir,
  ]).catch((error: { stdout?: string }) => {
    throw new Error(`tsc failed\n${error.stdout ?? ''}`, { cause: error })
  })
}

/** The compiler rewrites extensions in modules only; older compilers stumble over `.ts` in a declaration. */
async function rewriteTypes(dir: string): Promise<void> {
  const files = (await readdir(dir, { recursive: true })).filter((file) => file.endsWith('.d.ts'))
  for (const file of files) {
    const path = join(dir, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

async function manifest(): Promise<object> {
  const { version, license, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const target = (module: string) => ({ types: `./${module}.d.ts`, default: `./${module}.js` })
  return {
    name: hostPackage,
    version,
    description: 'Serves files of a file resolver to MCP servers: a client and adapters for MCP hosts.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.3' },
    exports: {
      ...Object.fromEntries(Object.entries(entries).map(([entry, module]) => [entry, target(module)])),
      './package.json': './package.json',
    },
    dependencies: { jose: dependencies.jose },
    peerDependencies: { '@modelcontextprotocol/client': '^2.4.0', '@modelcontextprotocol/sdk': '^1.29.0' },
    peerDependenciesMeta: {
      '@modelcontextprotocol/client': { optional: true },
      '@modelcontextprotocol/sdk': { optional: true },
    },
  }
}
