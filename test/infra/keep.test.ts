/**
 * Keeping the index right as an operator does: reconcile, quarantine and upload-url, each as a command of its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDynamo, createS3 } from '../../functions/wiring.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

async function files(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [
    '--import',
    'tsx',
    'infra/cli/main.ts',
    ...args,
    '--data',
    join(tmpdir(), 'no-dev-service'),
  ]
  const env = { ...process.env, ...service.environment }
  const child = spawn(process.execPath, command, { env })
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

const place = () => ({ Bucket: service.config.bucket, Key: 'files/notes.txt' })

test('after the loss of the table reconcile brings every file back and says how', async () => {
  await service.put('1', { shared: true, tags: ['t'] })
  await service.put('2', { ownerId: 'ben' })
  const TableName = service.config.filesTable
  const { Items = [] } = await createDynamo().send(new ScanCommand({ TableName }))
  for (const { pk, sk } of Items) {
    if (pk && sk) await createDynamo().send(new DeleteItemCommand({ TableName, Key: { pk, sk } }))
  }
  const planned = await files('reconcile', '--dry-run')
  expect(planned.stdout).toBe(
    'Compared 2 objects with 0 items of the table. Nothing was changed; to repair:\n' +
      '2 objects without a file: indexed as private to the owner in their key, and without tags\n',
  )
  expect((await service.list()).body.result.resources).toEqual([])
  const done = await files('reconcile', '--json')
  expect(done.code).toBe(0)
  expect(JSON.parse(done.stdout)).toMatchObject({ dryRun: false, restored: 2, failed: 0, done: true })
  expect((await service.list()).body.result.resources).toHaveLength(1)
  expect((await service.list(undefined, { user: 'ben' })).body.result.resources).toHaveLength(1)
  expect((await files('reconcile')).stdout).toMatch(
    /^Compared 2 objects with 6 items of the table\. They agree\.\n$/,
  )
})

test('quarantine shows what cannot be a file, and lets it go when it is gone', async () => {
  await createS3(service.environment).send(new PutObjectCommand({ ...place(), Body: 'x' }))
  await files('reconcile')
  const shown = await files('quarantine', 'ls')
  expect(shown.stdout).toContain('files/notes.txt')
  expect(shown.stdout).toContain('the key is not files/<workspace>/<owner>/<file id>[/<name>]')
  expect((await files('quarantine', 'retry')).stdout).toContain('files/notes.txt: refused, the key is not')
  expect(await files('quarantine', 'retry', 'files/notes.txt', 'files/note.txt')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Not in quarantine: "files/note.txt". `quarantine ls` shows what is.'),
  })
  await createS3(service.environment).send(new DeleteObjectCommand(place()))
  expect((await files('quarantine', 'retry', 'files/notes.txt')).stdout).toBe('files/notes.txt: unchanged\n')
  expect((await files('quarantine', 'ls', '--json')).stdout).toBe('[]\n')
})

test('upload-url prints where to send the bytes, and with which headers', async () => {
  const base = ['upload-url', '--workspace', 'acme', '--owner', 'ana', '--name', 'a.csv']
  const { stdout } = await files(...base, '--size', '3', '--tag', 't', '--json')
  const { url, uri, method, headers } = JSON.parse(stdout)
  expect(uri).toMatch(/^files:\/\/fl_[0-9a-f]{24}$/)
  expect(headers).toEqual({ 'content-type': 'text/csv', 'if-none-match': '*' })
  expect((await fetch(url, { method, headers, body: 'a,b' })).status).toBe(200)
  expect((await files(...base, '--size', 'three')).code).toBe(2)
  const refused = await files(...base, '--size', '3', '--ttl', '9999')
  expect([refused.code, refused.stderr]).toEqual([
    2,
    'error: an upload URL must be valid for 1 to 3600 seconds\n',
  ])
})
