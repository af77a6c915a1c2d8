/**
 * What the command line says and how it ends when something is odd: names that steer a terminal, a file that breaks
 * off, a wrong word.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
let dir: string
beforeAll(async () => {
  service = await startService()
  dir = await mkdtemp(join(tmpdir(), 'file-resolver-'))
})
afterAll(async () => {
  await service.close()
  await rm(dir, { recursive: true })
})

async function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const command = ['--import', 'tsx', 'infra/cli/main.ts', ...args, '--data', join(dir, 'nothing')]
  const place = { FILE_RESOLVER_URL: service.url, FILE_RESOLVER_TOKEN: await service.token() }
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...service.environment, ...place, ...env },
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => {
    texts.stdout += text
  })
  child.stderr.on('data', (text) => {
    texts.stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, ...texts }
}

const files = (...args: string[]) => run({}, ...args)
const acme = ['--workspace', 'acme']
const ana = [...acme, '--user', 'ana']
const owned = [...acme, '--owner', 'ana']

test('what was stored before a file failed is told, also as JSON', async () => {
  const path = join(dir, 'whole.txt')
  await writeFile(path, 'x')
  // a file that is there, and cannot be read
  const put = await files('put', path, '/proc/self/mem', ...owned, '--json')
  expect(put.code).toBe(1)
  const [stored, ...others] = JSON.parse(put.stdout)
  expect([stored.name, others]).toEqual(['whole.txt', []])
  expect((await files('cat', stored.uri, ...ana)).stdout).toBe('x')
})

test('nothing is stored when one of several paths cannot be, or has no possible name', async () => {
  const path = join(dir, 'alone.txt')
  await writeFile(path, 'x')
  const long = join(dir, 'ÿ'.repeat(125))
  await writeFile(long, 'x')
  const noPath = await files('put', path, '', ...owned, '--json')
  expect(noPath).toEqual({ code: 2, stdout: '', stderr: 'error: a path is empty: name a file\n' })
  const noFile = await files('put', path, join(dir, 'none'), ...owned, '--json')
  expect([noFile.code, noFile.stdout]).toEqual([1, ''])
  const wide = ['--workspace', 'w'.repeat(128), '--owner', 'o'.repeat(128)]
  const noName = await files('put', path, long, ...wide, '--json')
  expect([noName.code, noName.stdout]).toEqual([2, ''])
  expect(noName.stderr).toContain('the name is too long')
  const { stdout } = await files('ls', ...ana, '--json')
  expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).not.toContain('alone.txt')
})

test('no name and no tag steers the terminal', async () => {
  const fileId = 'fl_00000000000000000000000c'
  const input = { fileId, name: 'a\u001b[2J\u009b1m\n\u202ecod.exe', tags: ['t\u0007'], type: 'text/x-odd' }
  await service.put('x', input)
  const shown = 'a\\u001b[2J\\u009b1m\\u000a\\u202ecod.exe'
  const ls = await files('ls', ...ana, '--type', 'text/x-odd')
  expect(ls.stdout).toBe(
    `uri                                  ${'name'.padEnd(shown.length)}  type        bytes\n` +
      `files://${fileId}  ${shown}  text/x-odd  1\n`,
  )
  const tagged = await files('tag', `files://${fileId}`, 'b', ...acme)
  expect(tagged.stdout).toBe(`files://${fileId} ${shown}: private, tags: b, t\\u0007\n`)
  const json = await files('ls', ...ana, '--type', 'text/x-odd', '--json')
  expect(JSON.parse(json.stdout)[0].name).toBe('a\u001b[2J\u009b1m\n\u202ecod.exe')
  const gone = await files('rm', 'files://fl_0000000000000000000000ff', '--workspace', 'a')
  expect(gone.stderr).toBe(
    'error: Resource not found: workspace "a" has no file fl_0000000000000000000000ff\n',
  )
})

test.each([
  [['put', 'package.json', ...owned, '--id', 'fl_1'], 'error: a file id is fl_ and 24 lower-case hex digits'],
  [['put', 'package.json', ...owned, '--tag', ''], 'error: a tag must be 1 to 256 bytes'],
  [['put', 'package.json', ...owned, '--name', ''], 'error: a file name must be well-formed Unicode'],
  [['put', 'package.json', ...acme, '--owner', 'a b'], 'error: the owner must be 1 to 128 visible ASCII'],
  [['put', 'package.json', ...owned, '--reader', ''], 'error: the reader must be 1 to 128 visible ASCII'],
  [['ls', '--workspace', 'é', '--user', 'ana'], 'error: the workspace must be 1 to 128 visible ASCII'],
  [['ls', ...acme, '--user', ''], 'error: the user must be 1 to 128 visible ASCII'],
  [['ls', ...ana, '--server', 'a b'], 'error: the server must be 1 to 128 visible ASCII'],
  [['cat', 'files://nothing', ...ana], 'error: "files://nothing" is no file URI'],
  [['tag', 'files://fl_0000000000000000000000ff', 'x', '--workspace', ''], 'error: the workspace must be'],
])('what can never work is a wrong command line: %j', async (args, message) => {
  const ended = await files(...args)
  expect([ended.code, ended.stdout]).toEqual([2, ''])
  expect(ended.stderr).toContain(message)
})

test('what the resolver calls invalid is a wrong command line, too', async () => {
  const tags = Array.from({ length: 65 }, (_, i) => ['--tag', `t${i}`]).flat()
  const ls = await files('ls', ...ana, ...tags)
  expect([ls.code, ls.stdout]).toEqual([2, ''])
  expect(ls.stderr).toContain('error: Invalid params')
})

test('put says where it looked, and what is neither a file nor a folder', async () => {
  const missing = await files('put', 'no-such-file', ...owned)
  expect([missing.code, missing.stderr]).toEqual([
    1,
    `error: There is no file ${process.cwd()}/no-such-file.\n`,
  ])
  const device = await files('put', '/dev/null', ...owned)
  expect(device.code).toBe(1)
  expect(device.stderr).toBe(
    'error: /dev/null is neither a file nor a folder; save its bytes as a file first.\n',
  )
})

test('put stores what is too large to be read, and says so', async () => {
  const path = join(dir, 'large.bin')
  await writeFile(path, '12345')
  const put = await run({ MAX_READ_BYTES: '4' }, 'put', path, ...owned)
  expect(put.code).toBe(0)
  expect(put.stdout).toMatch(/^files:\/\/fl_[0-9a-f]{24}\n$/)
  expect(put.stderr).toBe(
    'note: large.bin is larger than MAX_READ_BYTES (4): it is listed, and reading it is refused with -32005.\n',
  )
})

test('an operator is told which call to storage failed, and how', async () => {
  const nowhere = {
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
  }
  expect(await run(nowhere, 'put', 'package.json', ...owned)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: Storage does not answer as it should: TransactWriteItems failed (ECONNREFUSED). ' +
      '"npm run files -- doctor" says what to do.\n',
  })
  const ended = await run({ FILES_TABLE: 'no-such-table' }, 'reconcile', '--dry-run')
  expect(ended.code).toBe(1)
  expect(ended.stderr).toContain('(ResourceNotFoundException). "npm run files -- doctor" says what to do.')
})

test('doctor tells of wrong variables in one line', async () => {
  const wrong = {
    FILES_BUCKET: 'X',
    FILES_TABLE: 'x',
    FILE_RESOLVER_URL: '',
    HOST_JWKS: '',
    HOST_JWKS_URL: '',
  }
  const doctor = await run(wrong, 'doctor')
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toContain(
    "✗ environment: FILES_BUCKET: must be a bucket's name: 3 to 63 lower-case letters, digits, dots and hyphens; " +
      "FILES_TABLE: must be a table's name: 3 to 255 letters, digits, or any of '_.-'\n    Correct these variables.\n",
  )
})

test('a token that is refused has its usual reasons named', async () => {
  const ended = await run({ FILE_RESOLVER_TOKEN: 'forged' }, 'ls', ...ana)
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: The resolver refuses the token: it has ended, or its key, issuer or audience is none that the resolver takes. ' +
      'Get a new one from your host; "npm run files -- doctor" examines it.\n',
  })
})

test('flags that npm has taken are named', async () => {
  const swallowed = { npm_config_owner: 'true', npm_config_json: 'true' }
  const put = await run(swallowed, 'put', 'package.json', 'ana')
  expect(put.code).toBe(2)
  expect(put.stderr).toContain('npm has taken --owner and --json for itself: write "--" after "files"')
  const reconcile = await run({ npm_config_dry_run: 'true' }, 'reconcile')
  expect(reconcile).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: nothing was done\n' +
      'npm has taken --dry-run for itself: write "--" after "files", as in npm run files -- reconcile --dry-run\n',
  })
})

test('help says how to use it in a pipe, and what cat makes of other encodings', async () => {
  expect((await files('--help')).stdout).toContain('npm run --silent files -- ')
  expect((await files('cat', '--help')).stdout).toContain('UTF-8')
})
