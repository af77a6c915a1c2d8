/**
 * Data folders in odd states: what dev and the command line make of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

let dir: string
let children: ChildProcess[]
beforeEach(async () => {
  children = []
  dir = await mkdtemp(join(tmpdir(), 'file-resolver-'))
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(dir, { recursive: true })
})

function start(script: string, args: readonly string[], { env = {}, preload = 'tsx' } = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', preload, script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  children.push(child)
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => {
    texts.stdout += text
  })
  child.stderr.on('data', (text) => {
    texts.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }))
  const ready = async () => {
    while (!texts.stdout.includes('\n')) await once(child.stdout, 'data')
    return texts.stdout
  }
  return { child, ended, ready }
}

const dev = (data: string, options = {}, ...args: string[]) =>
  start('infra/local/dev.ts', ['--port', '0', '--data', data, ...args], options)
const files = (...args: string[]) => start('infra/cli/main.ts', args).ended

test('what is no folder, or cannot be one, is named', async () => {
  const path = join(dir, 'a file')
  await writeFile(path, 'x')
  expect(await dev(path).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `The data folder ${path} cannot be used: it is a file. Choose another --data.\n`,
  })
  expect(await dev(join(path, 'x')).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `The data folder ${path}/x cannot be used: a part of its path is a file. Choose another --data.\n`,
  })
  expect((await dev('').ended).stderr).toContain("argument '' is invalid. It must name a folder.")
  const ls = await files('ls', '--workspace', 'w', '--user', 'u', '--data', '')
  expect([ls.code, ls.stdout]).toEqual([2, ''])
})

test.skipIf(process.getuid?.() === 0)('a folder that may not be written is named', async () => {
  const path = join(dir, 'closed')
  await mkdir(path, { mode: 0o500 })
  expect((await dev(path).ended).stderr).toBe(
    `The data folder ${path} cannot be used: you may not write there. Choose another --data.\n`,
  )
})

test('a tilde that no shell has replaced is the home folder, and a quote in its name survives the shell', async () => {
  const { child, ended, ready } = dev("~/it's here", { env: { HOME: dir } })
  await ready()
  child.kill('SIGINT')
  const { stdout } = await ended
  expect(await readdir(dir)).toEqual(["it's here"])
  expect(stdout).toContain(` --server reports --data '${dir}/it'\\''s here')`)
})

test('a damaged signing key is named, and a whole one is never seen in the making', async () => {
  await writeFile(join(dir, 'signing-key.json'), '{"kty":"OKP"')
  expect(await dev(dir).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `${dir}/signing-key.json holds no signing key: delete it, and the next start makes a new one.\n`,
  })
  await rm(join(dir, 'signing-key.json'))
  const { child, ended, ready } = dev(dir, {}, '--json')
  await ready()
  child.kill('SIGINT')
  await ended
  expect((await readdir(dir)).sort()).toEqual(['dynamodb', 's3', 'signing-key.json'])
})

test('a file that a killed run has left is not believed, though its process id lives again', async () => {
  const left = { pid: process.pid, url: 'http://127.0.0.1:1', environment: {} }
  await writeFile(join(dir, 'running.json'), JSON.stringify(left))
  const ls = await files('ls', '--workspace', 'w', '--user', 'u', '--data', dir)
  expect([ls.code, ls.stderr]).toEqual([1, expect.stringContaining('No dev service runs on the folder')])
  const { ready } = dev(dir, {}, '--json')
  expect(await ready()).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+"\}\n$/)
})

test('dev that fails at its last step stops, and leaves no file behind', async () => {
  const preload = join(dir, 'preload.mjs')
  await writeFile(preload, "globalThis.fetch = async () => { throw new Error('no fetch today') }")
  const { code, stderr } = await dev(join(dir, 'data'), { preload }).ended
  expect([code, stderr]).toEqual([1, 'no fetch today\n'])
  await expect(readFile(join(dir, 'data/running.json'))).rejects.toThrow('ENOENT')
})
