/**
 * Signed URLs for uploads. One of the places that know the AWS SDK. By default its presigner leaves the type out of the
 * signature, and adds the checksum of an empty body: both are told not to.
 */
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Presign } from './upload.ts'

/** Each must arrive as it was signed, in a header and not in the URL. */
const boundHeaders = ['host', 'content-type', 'content-length', 'content-encoding', 'if-none-match']

/** Signs for one bucket; the client must have `requestChecksumCalculation: 'WHEN_REQUIRED'`. */
export function createPresign(client: S3Client, bucket: string): Presign {
  return (key, { contentType, contentEncoding, size, expiresInSec }) => {
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      ContentType: contentType,
      ContentEncoding: contentEncoding,
      ContentLength: size,
      IfNoneMatch: '*',
    })
    return getSignedUrl(client, command, {
      expiresIn: expiresInSec,
      signableHeaders: new Set(boundHeaders),
      unhoistableHeaders: new Set(boundHeaders),
    })
  }
}
