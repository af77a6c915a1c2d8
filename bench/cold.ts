/**
 * Start-up: from the import of the deployed bundle to a service that is ready, against a bare Hono route in the same
 * runtime, each in fresh processes in turn; and what the bundle weighs.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { exportJWK, generateKeyPair } from 'jose'
import { type Built, buildFunctions, bundleOptions } from '../infra/bundle.ts'
import type { Result } from './report.ts'
import { figureOf, ratioOf } from './stats.ts'

const run = promisify(execFile)

/** Measures `rounds` pairs of processes. */
export async function benchStart(rounds: number): Promise<Result[]> {
  const built = await buildFunctions('dist')
  await build({
    ...bundleOptions,
    stdin: {
      contents: `import { Hono } from 'hono'
        const app = new Hono()
        app.get('/', (c) => c.text('ok'))
        await app.fetch(new Request('http://localhost/'))
        export const handler = () => {}`,
      resolveDir: process.cwd(),
    },
    outfile: 'dist/bench/bare.mjs',
  })
  const { publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const environment = {
    ...process.env,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    FILES_BUCKET: 'bucket',
    FILES_TABLE: 'files',
    BUCKETS_TABLE: 'buckets',
    HOST_JWKS: JSON.stringify({ keys: [await exportJWK(publicKey)] }),
    TOKEN_ISSUER: 'i',
    TOKEN_AUDIENCE: 'a',
  }

  async function importMs(file: string): Promise<number> {
    const script = `const began = performance.now()
      await import(process.argv[1])
      console.log(performance.now() - began)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, file], {
      env: environment,
    })
    return Number(stdout)
  }

  const ours: number[] = []
  const bare: number[] = []
  for (let round = -2; round < rounds; round += 1) {
    ours.push(await importMs(`${process.cwd()}/dist/resolver/index.mjs`))
    bare.push(await importMs(`${process.cwd()}/dist/bench/bare.mjs`))
  }
  return [
    { what: 'import to ready ÷ bare Hono', figure: ratioOf(ours.slice(2), bare.slice(2)), most: 1.9 },
    ...weigh(built),
  ]
}

/** The bundle's size, and what each package has in it. */
function weigh(built: Built): Result[] {
  const bundle = Object.entries(built).find(([path]) => path.endsWith('resolver/index.mjs'))?.[1]
  if (!bundle) throw new Error('There is no bundle of the resolver')
  const shares = new Map<string, number>()
  for (const [path, { bytesInOutput }] of Object.entries(bundle.inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'our own code'
    shares.set(name, (shares.get(name) ?? 0) + bytesInOutput)
  }
  const kib = (bytes: number) => figureOf([bytes / 1_024])
  return [
    { what: 'resolver bundle, KiB', figure: kib(bundle.bytes), most: 450 },
    ...[...shares]
      .sort(([, a], [, b]) => b - a)
      .map(([name, bytes]) => ({ what: `of it ${name}`, figure: kib(bytes) })),
  ]
}
