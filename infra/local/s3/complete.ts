/**
 * CompleteMultipartUpload: the list of parts is checked against what was uploaded, then the parts are joined and become
 * the key's newest version in the same step that ends the upload.
 */
import { createHash } from 'node:crypto'
import { absorb, receiveText } from './body.ts'
import type { Call, Reply } from './call.ts'
import { checksumElement, checksumHeader, startChecksum, verifyChecksum } from './checksum.ts'
import { type Cloud, xmlReply } from './cloud.ts'
import { checkWrite } from './conditions.ts'
import type { Checksum, Part, Upload } from './entries.ts'
import { S3Error } from './errors.ts'
import { requireUpload } from './multipart.ts'
import type { OpenUpload } from './state.ts'
import { latest, requireBucket, versionHeader } from './store.ts'
import { publish, withBlob } from './write.ts'
import { element, findAll, findText, xmlDocument } from './xml.ts'

const minPartBytes = 5 * 1024 * 1024

/** Joins the listed parts into an object. */
export async function completeUpload(call: Call, cloud: Cloud): Promise<Reply> {
  const bucket = requireBucket(cloud.store, call.bucket)
  const open = requireUpload(call, cloud)
  const { upload } = open
  const parts = listedParts(await receiveText(listCall(call)), open)
  checkWrite(call.headers, call.key, latest(bucket, call.key))
  return withBlob(cloud, async (writer) => {
    const fullAlgorithm = upload.checksumType === 'FULL_OBJECT' ? upload.algorithm : undefined
    const { size, checksum } = await absorb(joined(cloud, parts), fullAlgorithm, writer.write)
    await writer.close()
    const stored: Checksum | undefined = checksum
      ? { ...checksum, type: 'FULL_OBJECT' }
      : compose(upload, parts)
    verifyStated(call, stored)
    requireUpload(call, cloud)
    const version = publish(call, cloud, 'ObjectCreated:CompleteMultipartUpload', {
      headers: upload.headers,
      storageClass: upload.storageClass,
      blob: writer.id,
      size,
      etag: composeEtag(parts),
      checksum: stored,
      upload: upload.id,
    })
    const body = xmlDocument(
      'CompleteMultipartUploadResult',
      element('Location', `/${call.bucket}/${call.key}`),
      element('Bucket', call.bucket),
      element('Key', call.key),
      element('ETag', `"${version.etag}"`),
      stored ? element(checksumElement(stored.algorithm), stored.value) : '',
      element('ChecksumType', stored?.type),
    )
    return xmlReply(body, versionHeader(bucket, version))
  })
}

/** Here a checksum header speaks of the object and not of this request's body. */
function listCall(call: Call): Call {
  const headers = Object.entries(call.headers).filter(([name]) => !name.startsWith('x-amz-checksum-'))
  return { ...call, headers: Object.fromEntries(headers) }
}

function listedParts(xml: string, open: OpenUpload): Part[] {
  const listed = findAll(xml, 'Part').map((each) => ({
    number: Number(findText(each, 'PartNumber')),
    etag: findText(each, 'ETag')?.replaceAll('"', ''),
    xml: each,
  }))
  if (listed.length === 0) {
    throw new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed or did not validate')
  }
  const parts: Part[] = []
  for (const [at, { number, etag, xml: text }] of listed.entries()) {
    if (number <= (listed[at - 1]?.number ?? 0)) {
      throw new S3Error(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.')
    }
    const part = open.parts.get(number)
    const stated = part?.checksum && findText(text, checksumElement(part.checksum.algorithm))
    if (part?.md5 !== etag || !part || (stated !== undefined && stated !== part.checksum?.value)) {
      throw new S3Error(
        400,
        'InvalidPart',
        'One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match.',
        {},
        { PartNumber: String(number) },
      )
    }
    parts.push(part)
  }
  if (parts.slice(0, -1).some(({ size }) => size < minPartBytes)) {
    throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  }
  return parts
}

async function* joined(cloud: Cloud, parts: Part[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part.size === 0) continue
    const stream = await cloud.store.blobs.open(part.blob)
    if (!stream) throw new S3Error(404, 'NoSuchUpload', 'The upload ended while it was being completed')
    yield* stream
  }
}

function composeEtag(parts: Part[]): string {
  const md5 = createHash('md5')
  for (const part of parts) md5.update(part.md5, 'hex')
  return `${md5.digest('hex')}-${parts.length}`
}

/** The checksum of the parts' checksums, when every part has one. */
function compose(upload: Upload, parts: Part[]): Checksum | undefined {
  const { algorithm } = upload
  if (algorithm === undefined) return undefined
  const running = startChecksum(algorithm)
  for (const { checksum } of parts) {
    if (checksum?.algorithm !== algorithm) {
      throw new S3Error(
        400,
        'InvalidRequest',
        `The upload was created using the ${algorithm} checksum; a part has none.`,
      )
    }
    running.update(Buffer.from(checksum.value, 'base64'))
  }
  return { algorithm, value: `${running.digest().toString('base64')}-${parts.length}`, type: 'COMPOSITE' }
}

function verifyStated(call: Call, checksum: Checksum | undefined): void {
  const stated = checksum && call.headers[checksumHeader(checksum.algorithm)]
  if (checksum && stated !== undefined) verifyChecksum(checksum.algorithm, stated, checksum.value)
}
