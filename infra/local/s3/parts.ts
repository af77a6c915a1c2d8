/**
 * UploadPart and UploadPartCopy: a part is a blob of its own until the upload is completed; a part sent again under the
 * same number replaces the first.
 */
import type { BlobWriter } from './blobs.ts'
import { absorb, type Received, receive } from './body.ts'
import type { Call, Reply } from './call.ts'
import { checksumHeader } from './checksum.ts'
import { type Cloud, modifiedNow, xmlReply } from './cloud.ts'
import { copyResult, findSource, openSource } from './copy.ts'
import type { Part } from './entries.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { requireUpload } from './multipart.ts'
import { withBlob } from './write.ts'
import { xmlDocument } from './xml.ts'

const maxParts = 10_000

/** Stores the body as one part. */
export async function uploadPart(call: Call, cloud: Cloud): Promise<Reply> {
  const number = parseNumber(call)
  const { upload } = requireUpload(call, cloud)
  const part = await storePart(call, cloud, number, async (writer) => {
    const received = await receive(call, writer.write)
    const algorithm = received.checksum?.algorithm
    if (upload.algorithm !== undefined && algorithm !== undefined && upload.algorithm !== algorithm) {
      throw new S3Error(
        400,
        'InvalidRequest',
        `Checksum Type mismatch occurred, expected checksum Type: ${upload.algorithm}, actual checksum Type: ${algorithm}`,
      )
    }
    return received
  })
  const checksum = part.checksum && { [checksumHeader(part.checksum.algorithm)]: part.checksum.value }
  return { status: 200, headers: { etag: `"${part.md5}"`, ...checksum } }
}

/** Stores an object, or a range of it, as one part. */
export async function uploadPartCopy(call: Call, cloud: Cloud): Promise<Reply> {
  const number = parseNumber(call)
  const { upload } = requireUpload(call, cloud)
  const source = findSource(call, cloud)
  const range = parseCopyRange(call.headers['x-amz-copy-source-range'], source.version.size)
  const part = await storePart(call, cloud, number, async (writer) =>
    absorb(await openSource(cloud, source, range?.start, range?.end), upload.algorithm, writer.write),
  )
  const body = xmlDocument('CopyPartResult', ...copyResult(part.md5, part.modifiedMs, part.checksum))
  return xmlReply(body, source.headers)
}

function storePart(
  call: Call,
  cloud: Cloud,
  number: number,
  fill: (writer: BlobWriter) => Promise<Received>,
): Promise<Part> {
  return withBlob(cloud, async (writer) => {
    const { size, md5, checksum } = await fill(writer)
    await writer.close()
    // The upload may have ended while the part came in.
    const { upload } = requireUpload(call, cloud)
    const part: Part = {
      number,
      blob: writer.id,
      size,
      md5: md5.toString('hex'),
      modifiedMs: modifiedNow(cloud),
      checksum: checksum && { ...checksum, type: 'FULL_OBJECT' },
    }
    cloud.store.commit({ op: 'part', upload: upload.id, part })
    return part
  })
}

function parseNumber(call: Call): number {
  const text = call.query.get('partNumber') ?? ''
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= maxParts) return number
  throw invalidArgument(`Part number must be an integer between 1 and ${maxParts}, inclusive`)
}

/** Unlike a read, a copy takes no open range and none beyond the end. */
function parseCopyRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | undefined {
  if (header === undefined) return undefined
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? []
  if (start === undefined || end === undefined || Number(start) > Number(end)) {
    throw invalidArgument('The x-amz-copy-source-range value must be of the form bytes=first-last')
  }
  if (Number(end) < size) return { start: Number(start), end: Number(end) }
  throw invalidArgument(`Range specified is not valid for source object of size: ${size}`)
}
