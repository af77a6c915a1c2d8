/**
 * A read whose indexed version is gone by the time it is opened: the newer one is read, under the access and size that
 * are in force then, and a file that is no more is not found.
 */
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createS3 } from '../functions/wiring.ts'
import { unshareFile } from '../lib/change.ts'
import { completeFile } from '../lib/complete.ts'
import type { FileItem } from '../lib/file.ts'
import { removeFile } from '../lib/remove.ts'
import { answering, type ProxiedService, startProxiedService } from './proxy.ts'

const noSuchVersion = answering(404, '<Error><Code>NoSuchVersion</Code></Error>', 'application/xml')
const bob = { user: 'bob' }

let proxied: ProxiedService
let s3: S3Client
beforeAll(async () => {
  proxied = await startProxiedService()
  s3 = createS3(proxied.service.environment)
})
afterEach(() => proxied.heal())
afterAll(() => proxied.close())

/** Lets `change` happen, and the version vanish, between the look-up of the next read and its opening of the object. */
function between(change: () => Promise<unknown>) {
  proxied.s3.fault = (req, res, pass) => {
    proxied.heal()
    change().then(
      () => noSuchVersion(req, res, pass),
      () => res.destroy(),
    )
  }
}

async function overwrite(file: FileItem, Body: string) {
  const { stores } = proxied.service
  await s3.send(
    new PutObjectCommand({ Bucket: 'files-bucket', Key: file.objectKey, Body, ContentType: 'text/plain' }),
  )
  await completeFile(stores, file.workspaceId, file.fileId)
}

test('the newer version is read when it has been indexed meanwhile', async () => {
  const file = await proxied.service.put('old', { shared: true })
  between(() => overwrite(file, 'new'))
  const answer = await proxied.service.read(`files://${file.fileId}`, bob)
  expect(answer.body.result.contents[0].text).toBe('new')
})

test('the newer version is refused when it is too large', async () => {
  const file = await proxied.service.put('old', { shared: true })
  between(() => overwrite(file, 'x'.repeat(10_485_761)))
  const answer = await proxied.service.read(`files://${file.fileId}`, bob)
  expect(answer.body.error).toMatchObject({ code: -32005, data: { size: 10_485_761, maxSize: 10_485_760 } })
})

test('the newer version is not found by whom it is no longer shared with', async () => {
  const file = await proxied.service.put('old', { shared: true })
  between(async () => {
    await unshareFile(proxied.service.stores, file, { shared: true })
    await overwrite(file, 'new')
  })
  const answer = await proxied.service.read(`files://${file.fileId}`, bob)
  expect(answer.body.error.code).toBe(-32002)
})

test('a file that is deleted meanwhile is not found', async () => {
  const file = await proxied.service.put('old', { shared: true })
  between(() => removeFile(proxied.service.stores, file))
  const uri = `files://${file.fileId}`
  expect((await proxied.service.read(uri, bob)).body.error).toEqual({
    code: -32002,
    message: 'Resource not found',
    data: { uri },
  })
})

test('a file whose version was destroyed behind our back is not found', async () => {
  const file = await proxied.service.put('old')
  const VersionId = file.content?.versionId
  await s3.send(new DeleteObjectCommand({ Bucket: 'files-bucket', Key: file.objectKey, VersionId }))
  expect((await proxied.service.read(`files://${file.fileId}`)).body.error.code).toBe(-32002)
})

test('the pinned version is read also behind a delete marker that nobody has indexed yet', async () => {
  const file = await proxied.service.put('old')
  await s3.send(new DeleteObjectCommand({ Bucket: 'files-bucket', Key: file.objectKey }))
  expect((await proxied.service.read(`files://${file.fileId}`)).body.result.contents[0].text).toBe('old')
})
