import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDynamo } from '../../infra/local/dynamodb/server.ts'

let dir: string
let dev: ChildProcess
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'file-resolver-apart-'))
})
afterEach(async () => {
  dev.kill('SIGKILL')
  await rm(dir, { recursive: true })
})

/** Starts dev with a script that runs before it, in each of its threads. */
async function startDev(script: string): Promise<{ said(): string; heard(text: string): Promise<void> }> {
  const preload = join(dir, 'preload.mjs')
  await writeFile(preload, script)
  const args = ['infra/local/dev.ts', '--data', join(dir, 'data'), '--port', '0', '--json']
  dev = spawn(process.execPath, ['--import', preload, '--import', 'tsx', ...args])
  let errors = ''
  dev.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  if (!dev.stdout || !dev.stderr) throw new Error('no output')
  for await (const _url of createInterface(dev.stdout)) break
  const { stderr } = dev
  return {
    said: () => errors,
    async heard(text) {
      while (!errors.includes(text)) await once(stderr, 'data')
    },
  }
}

/** How a process finds the emulators of the dev that runs. */
async function environmentOf(): Promise<Record<string, string>> {
  const running: unknown = JSON.parse(await readFile(join(dir, 'data/running.json'), 'utf8'))
  return (running as { environment: Record<string, string> }).environment
}

const exists = (name: string) => `existsSync(${JSON.stringify(join(dir, name))})`

test('storage answers while the service is too busy to do anything', async () => {
  const { said, heard } = await startDev(`
    import { existsSync, writeSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    if (isMainThread) process.on('SIGUSR2', () => {
      writeSync(2, 'busy\\n')
      const untilMs = Date.now() + 20_000
      while (Date.now() < untilMs && !${exists('enough')});
      writeSync(2, 'free\\n')
    })`)
  const environment = await environmentOf()
  dev.kill('SIGUSR2')
  await heard('busy')
  const s3 = await fetch(`${environment.AWS_ENDPOINT_URL_S3}/files`)
  const dynamo = await fetch(`${environment.AWS_ENDPOINT_URL_DYNAMODB}`)
  expect([s3.status, dynamo.status, said()]).toEqual([403, 200, 'busy\n'])
  await writeFile(join(dir, 'enough'), '')
  await heard('free')
})

test('the emulators know nobody who has not read the folder, not even a page that rebinds its name', async () => {
  await startDev('')
  const environment = await environmentOf()
  const known = environment.AWS_ACCESS_KEY_ID ?? ''
  expect(known).toMatch(/^LOCAL[0-9A-F]{24}$/)
  expect(environment.AWS_SECRET_ACCESS_KEY).toMatch(/^[0-9a-f]{40}$/)
  const ask = async (key: string) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0`
    const headers = { 'x-amz-target': 'DynamoDB_20120810.Scan', authorization }
    const init = { method: 'POST', headers, body: '{"TableName":"files"}' }
    return (await fetch(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', init)).status
  }
  expect([await ask('local'), await ask(''), await ask(known)]).toEqual([400, 400, 200])
})

test('when an emulator dies, so does dev, and it says which', async () => {
  const { said } = await startDev(`
    import { existsSync } from 'node:fs'
    import { workerData } from 'node:worker_threads'
    if (workerData?.part === 's3') setInterval(() => {
      if (${exists('die')}) throw new Error('out of luck')
    }, 20)`)
  await writeFile(join(dir, 'die'), '')
  const [code] = await once(dev, 'exit')
  expect([code, said()]).toEqual([1, 'The emulated s3 broke: Error: out of luck\n'])
})

test('a folder that another process has open is left as it is', async () => {
  const dynamo = await startDynamo({ dir: join(dir, 'data/dynamodb') })
  await mkdir(join(dir, 'data/s3/blobs/ab'), { recursive: true })
  const underWay = join(dir, 'data/s3/blobs/ab/ab-body-of-an-upload')
  await writeFile(underWay, 'half')
  const { said } = await startDev(`
    import { workerData } from 'node:worker_threads'
    const slow = workerData?.part === 'dynamodb' ? 1_000 : 0
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slow)`)
  expect(said()).toContain(`Another local DynamoDB has ${join(dir, 'data/dynamodb')} open`)
  expect(await readFile(underWay, 'utf8')).toBe('half')
  await dynamo.close()
})
