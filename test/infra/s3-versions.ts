/** Checks: versions, delete markers, suspension and the listing of versions. */
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { type Check, expectRefusal, type S3Target, textOf } from './s3-target.ts'

/** Declares the checks of versions, each in a bucket of its own. */
export function versionChecks(check: Check): void {
  check('versioning is off, then enabled, then suspended', async (target) => {
    const bucket = await open(target, 'status')
    await setVersioning(bucket, 'Suspended')
    const { Status } = await bucket.client.send(new GetBucketVersioningCommand({ Bucket: bucket.bucket }))
    expect(Status).toBe('Suspended')
    const fresh = await target.client.send(new GetBucketVersioningCommand({ Bucket: target.bucket }))
    expect(fresh.Status).toBeUndefined()
  })

  check('every version stays readable under its id', async (target) => {
    const bucket = await open(target, 'ids')
    const first = await put(bucket, 'k', '1')
    const second = await put(bucket, 'k', '2')
    expect(first).not.toBe(second)
    expect(await get(bucket, 'k', first)).toEqual(['1', first])
    expect(await get(bucket, 'k')).toEqual(['2', second])
  })

  check(
    'a delete leaves a marker that hides the key, and its removal shows the key again',
    async (target) => {
      const bucket = await open(target, 'markers')
      const { client, bucket: Bucket } = bucket
      const first = await put(bucket, 'k', '1')
      const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect(marker.DeleteMarker).toBe(true)
      const hidden = await client.send(new GetObjectCommand({ Bucket, Key: 'k' })).catch((error) => error)
      expect(hidden.name).toBe('NoSuchKey')
      expect(hidden.$response.headers).toMatchObject({
        'x-amz-delete-marker': 'true',
        'x-amz-version-id': marker.VersionId,
      })
      expect(await get(bucket, 'k', first)).toEqual(['1', first])
      const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket }))
      expect(KeyCount).toBe(0)
      const removed = await client.send(
        new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: marker.VersionId }),
      )
      expect([removed.DeleteMarker, removed.VersionId]).toEqual([true, marker.VersionId])
      expect(await get(bucket, 'k')).toEqual(['1', first])
    },
  )

  check('a marker read by its id is MethodNotAllowed', async (target) => {
    const bucket = await open(target, 'marker-ids')
    const { client, bucket: Bucket } = bucket
    await put(bucket, 'k', '1')
    const { VersionId } = await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
    await expectRefusal(
      client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId })),
      405,
      'MethodNotAllowed',
    )
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket, Key: 'k', VersionId })), 405)
  })

  check('an id that no version has is NoSuchVersion, and a deleted one too', async (target) => {
    const bucket = await open(target, 'unknown')
    const { client, bucket: Bucket } = bucket
    const VersionId = await put(bucket, 'k', '1')
    await put(bucket, 'k', '2')
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId }))
    await expectRefusal(
      client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId })),
      404,
      'NoSuchVersion',
    )
    await expectRefusal(
      client.send(new GetObjectCommand({ Bucket, Key: 'other', VersionId })),
      404,
      'NoSuchVersion',
    )
    await expectRefusal(client.send(new HeadObjectCommand({ Bucket, Key: 'k', VersionId })), 404)
  })

  check('text that cannot be a version id is InvalidArgument', async (target) => {
    const { client, bucket: Bucket } = await open(target, 'malformed')
    await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '1' }))
    const malformed = client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId: 'not a version' }))
    await expectRefusal(malformed, 400, 'InvalidArgument')
  })

  check('If-None-Match: * stores over a delete marker', async (target) => {
    const { client, bucket: Bucket } = await open(target, 'over-marker')
    await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '1' }))
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
    await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '2', IfNoneMatch: '*' }))
    expect(await textOf(await client.send(new GetObjectCommand({ Bucket, Key: 'k' })))).toBe('2')
  })

  check('what was stored before versioning is the null version', async (target) => {
    const bucket = await open(target, 'before', false)
    await put(bucket, 'k', 'old')
    await setVersioning(bucket, 'Enabled')
    const second = await put(bucket, 'k', 'new')
    expect(await get(bucket, 'k', 'null')).toEqual(['old', 'null'])
    expect(await get(bucket, 'k')).toEqual(['new', second])
  })

  check('a suspended bucket replaces the null version and keeps the others', async (target) => {
    const bucket = await open(target, 'suspended')
    const kept = await put(bucket, 'k', 'kept')
    await setVersioning(bucket, 'Suspended')
    await put(bucket, 'k', 'null 1')
    await put(bucket, 'k', 'null 2')
    expect(await get(bucket, 'k')).toEqual(['null 2', 'null'])
    expect(await get(bucket, 'k', kept)).toEqual(['kept', kept])
    expect(await versionsOf(bucket)).toEqual(['k null latest', `k ${kept}`])
    const marker = await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.bucket, Key: 'k' }))
    expect([marker.DeleteMarker, marker.VersionId]).toEqual([true, 'null'])
    expect(await versionsOf(bucket)).toEqual([`k ${kept}`, 'k null marker latest'])
  })

  check('versions are listed by key and newest first, in pages', async (target) => {
    const bucket = await open(target, 'listed')
    const { client, bucket: Bucket } = bucket
    const a1 = await put(bucket, 'a', '1')
    const a2 = await put(bucket, 'a', '2')
    const b1 = await put(bucket, 'b', '1')
    const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: 'b' }))
    const all = [`a ${a2} latest`, `a ${a1}`, `b ${b1}`, `b ${marker.VersionId} marker latest`]
    expect(await versionsOf(bucket)).toEqual(all)
    expect((await versionsOf(bucket, 1)).toSorted()).toEqual(all.toSorted())
    expect((await versionsOf(bucket, 3)).toSorted()).toEqual(all.toSorted())
  })

  check(
    'versions are rolled up by a delimiter, and a prefix that lost its last key is gone',
    async (target) => {
      const { client, bucket: Bucket } = await open(target, 'rolled', false)
      for (const Key of ['a/1', 'b/1', 'c'])
        await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
      await client.send(new DeleteObjectCommand({ Bucket, Key: 'b/1' }))
      const list = await client.send(new ListObjectVersionsCommand({ Bucket, Delimiter: '/' }))
      expect(list.CommonPrefixes).toEqual([{ Prefix: 'a/' }])
      expect(list.Versions?.map(({ Key }) => Key)).toEqual(['c'])
    },
  )

  check('a version can be copied back over a newer one', async (target) => {
    const bucket = await open(target, 'copied')
    const { client, bucket: Bucket } = bucket
    const first = await put(bucket, 'k', '1')
    await put(bucket, 'k', '2')
    const output = await client.send(
      new CopyObjectCommand({ Bucket, Key: 'k', CopySource: `${Bucket}/k?versionId=${first}` }),
    )
    expect(output.CopySourceVersionId).toBe(first)
    expect(await get(bucket, 'k')).toEqual(['1', output.VersionId])
  })

  check('many versions are deleted at once', async (target) => {
    const bucket = await open(target, 'many')
    const { client, bucket: Bucket } = bucket
    const first = await put(bucket, 'k', '1')
    const second = await put(bucket, 'k', '2')
    const Objects = [{ Key: 'k', VersionId: first }, { Key: 'k' }]
    const output = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(output.Deleted).toMatchObject([
      { Key: 'k', VersionId: first },
      { Key: 'k', DeleteMarker: true, DeleteMarkerVersionId: expect.any(String) },
    ])
    expect(await get(bucket, 'k', second)).toEqual(['2', second])
    await expectRefusal(client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId: first })), 404)
  })
}

async function open({ client, bucket }: S3Target, name: string, versioned = true): Promise<S3Target> {
  const own = { client, bucket: `${bucket}-${name}` }
  await client.send(new CreateBucketCommand({ Bucket: own.bucket }))
  if (versioned) await setVersioning(own, 'Enabled')
  return own
}

function setVersioning({ client, bucket }: S3Target, Status: 'Enabled' | 'Suspended') {
  return client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }))
}

async function put({ client, bucket }: S3Target, Key: string, Body: string): Promise<string | undefined> {
  return (await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))).VersionId
}

async function get({ client, bucket }: S3Target, Key: string, VersionId?: string) {
  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }))
  return [await textOf(got), got.VersionId]
}

/** Versions, then delete markers, as `key id [marker] [latest]`. */
async function versionsOf({ client, bucket }: S3Target, MaxKeys?: number): Promise<string[]> {
  const found: string[] = []
  let KeyMarker: string | undefined
  let VersionIdMarker: string | undefined
  do {
    const page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys, KeyMarker, VersionIdMarker }),
    )
    for (const { Key, VersionId, IsLatest } of page.Versions ?? []) {
      found.push(`${Key} ${VersionId}${IsLatest ? ' latest' : ''}`)
    }
    for (const { Key, VersionId, IsLatest } of page.DeleteMarkers ?? []) {
      found.push(`${Key} ${VersionId} marker${IsLatest ? ' latest' : ''}`)
    }
    KeyMarker = page.NextKeyMarker
    VersionIdMarker = page.NextVersionIdMarker
  } while (KeyMarker !== undefined)
  return found
}
