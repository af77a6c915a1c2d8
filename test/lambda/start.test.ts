/**
 * How the production bundle starts: in Lambda's runtime it needs its configuration; outside it loads all the same.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/bundle.ts'
import { urlEvent } from './event.ts'
import { startRuntime } from './runtime.ts'

const environment = {
  AWS_REGION: 'us-east-1',
  FILES_BUCKET: 'files',
  FILES_TABLE: 'files',
  BUCKETS_TABLE: 'buckets',
  TOKEN_ISSUER: 'https://host.test',
  TOKEN_AUDIENCE: 'file-resolver',
  HOST_JWKS_URL: 'https://host.test/jwks',
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'start-'))
  await buildFunctions(dir)
})
afterAll(() => rm(dir, { recursive: true }))

test('outside Lambda the bundle loads and exports its handler (I01)', () => {
  const script = `import(${JSON.stringify(`file://${dir}/resolver/index.mjs`)}).then((m) => console.log(typeof m.handler))`
  expect(execFileSync(process.execPath, ['-e', script], { env: environment, encoding: 'utf8' })).toBe(
    'function\n',
  )
})

test('a missing variable stops the start, and its name is in the log', async () => {
  const runtime = await startRuntime(join(dir, 'resolver'), { ...environment, FILES_TABLE: '' })
  await expect(runtime.invoke(urlEvent({}))).rejects.toThrow('The runtime exited (1)')
  expect(runtime.lines.join('\n')).toContain('FILES_TABLE: must not be empty')
  await runtime.close()
})
