/**
 * `sst.config.ts` as SST's command line reads it: `app()` evaluated on its own, `run()` bundled together with SST's
 * components, with the globals that the command line injects.
 */
import { readFileSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { platform } from './install.ts'

const config = `${process.cwd()}/sst.config.ts`

/** What bundled CommonJS expects in an ES module. */
const banner = [
  "import { createRequire as makeRequire } from 'node:module'",
  "import { fileURLToPath as toPath } from 'node:url'",
  'const require = makeRequire(import.meta.url)',
  'const __filename = toPath(import.meta.url)',
  "const __dirname = toPath(new URL('.', import.meta.url))",
].join('\n')

const common = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const

/** What `app()` says of the stage, completed as the command line completes it. */
export async function evaluateApp(stage: string): Promise<Record<string, unknown>> {
  const outfile = `${platform}/app.${process.pid}.mjs`
  await build({
    ...common,
    stdin: {
      contents: `import config from ${JSON.stringify(config)}\nexport const app = config.app`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    outfile,
    banner: { js: `${banner}\nfunction $config(input) { return input }` },
    plugins: [onlyDynamicImports],
  })
  const { app } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  return { removal: 'retain', protect: false, ...(await app({ stage })), stage }
}

/** `app()` is evaluated alone, and the command line refuses imports at the top of the configuration. */
const onlyDynamicImports: Plugin = {
  name: 'only-dynamic-imports',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ kind, importer, path }) => {
      if (kind === 'dynamic-import') return { path, external: true }
      if (importer === config) return { errors: [{ text: 'sst.config.ts may import inside run() only' }] }
      return undefined
    })
  },
}

/** A module that exports `pulumi` and `start`, which runs the configuration on SST's components. */
export async function bundleRun(app: object, command: object): Promise<string> {
  const outfile = `${platform}/run.${process.pid}.mjs`
  await build({
    ...common,
    stdin: {
      contents: `
        import { run } from '${platform}/src/auto/run.ts'
        import * as pulumi from '@pulumi/pulumi'
        import config from ${JSON.stringify(config)}
        export const start = () => pulumi.runtime.runInPulumiStack(() => run(config.run))`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    outfile,
    banner: { js: banner },
    mainFields: ['module', 'main'],
    nodePaths: [`${platform}/node_modules`],
    define: { $app: JSON.stringify(app), $cli: JSON.stringify(command), $dev: 'false' },
    inject: [`${platform}/src/shim/run.js`],
    external: ['@pulumi/*', 'undici', '@aws-sdk/*', 'esbuild', 'archiver', 'glob', 'vite'],
    plugins: [globals],
  })
  return outfile
}

/** SST's components and the provider are globals in the project's own files. */
const globals: Plugin = {
  name: 'globals',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes('/.sst/') || path.includes('/node_modules/')) return undefined
      const imports = `import * as aws from '@pulumi/aws'; import * as sst from '${platform}/src/components';`
      return { contents: `${imports}\n${readFileSync(path, 'utf8')}`, loader: extname(path).slice(1) as 'ts' }
    })
  },
}
