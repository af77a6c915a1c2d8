/**
 * The bundles that are benched, tested in Lambda's runtime and deployed: one for each function, `<function>/index.mjs`.
 * The same sources give the same bytes, whoever builds them and wherever.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** "mime" does not say that its tables may be left out where nobody asks for a type by name. */
const unusedTables: Plugin = {
  name: 'unused-tables',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^mime$/ }, async ({ pluginData, path, ...options }) => {
      if (pluginData === 'asked') return undefined
      const { namespace: _, with: __, ...where } = options
      return { ...(await resolve(path, { ...where, pluginData: 'asked' })), sideEffects: false }
    })
  },
}

/** Unused shapes of the SDK's models stay in a bundle as long as a key is a name: evaluating one might do something. */
const unusedShapes: Plugin = {
  name: 'unused-shapes',
  setup({ onLoad }) {
    onLoad(
      { filter: /@aws-sdk[/\\]client-[^/\\]+[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/ },
      async ({ path }) => {
        const source = await readFile(path, 'utf8')
        const texts = new Map(
          [...source.matchAll(/^const (\w+) = ("[^"]*");$/gm)].map(([, name, text]) => [name, text]),
        )
        return { contents: source.replace(/\[(\w+)\]:/g, (key, name) => `${texts.get(name) ?? key}:`) }
      },
    )
  },
}

/** What building gave: the bundles' paths and what went into them. */
export type Built = Metafile['outputs']

/** The names of the functions: every file of `functions` that exports a handler. */
export async function functionNames(): Promise<string[]> {
  const files = (await readdir(join(root, 'functions'))).filter((file) => file.endsWith('.ts'))
  const sources = await Promise.all(files.map((file) => readFile(join(root, 'functions', file), 'utf8')))
  return files
    .filter((_, i) => /^export (const|async function|function) handler\b/m.test(sources[i] ?? ''))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

/** How every bundle is built; the bench builds what it compares with in the same way. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // some packages tell "module" only: without it their CommonJS form is taken, which cannot be shaken
  mainFields: ['module', 'main'],
  // for what is left of CommonJS
  banner: {
    js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions

/** Builds all functions into the folder, and tells what each bundle consists of. */
export async function buildFunctions(dir: string): Promise<Built> {
  const names = await functionNames()
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    // Lambda's credentials are in the environment
    alias: { '@aws-sdk/credential-provider-node': join(root, 'infra/credentials.ts') },
    plugins: [unusedTables, unusedShapes],
    metafile: true,
  })
  return metafile.outputs
}
