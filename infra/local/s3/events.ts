/**
 * S3 event notifications in their wire shape, version 2.1: the key is URL-encoded with `+` for a space, and sequencers of
 * one key compare as strings. They are handed to the callback after the change, before the answer is sent.
 */
import { randomBytes } from 'node:crypto'
import { encodeKey } from './encoding.ts'
import type { Version } from './entries.ts'

/** The kinds of event that this emulator sends. */
export type EventName =
  | 'ObjectCreated:Put'
  | 'ObjectCreated:Copy'
  | 'ObjectCreated:CompleteMultipartUpload'
  | 'ObjectRemoved:Delete'
  | 'ObjectRemoved:DeleteMarkerCreated'

/** The message that S3 sends to a queue or a function. */
export interface S3Event {
  Records: S3EventRecord[]
}

/** One change of one object. */
export interface S3EventRecord {
  eventVersion: '2.1'
  eventSource: 'aws:s3'
  awsRegion: string
  eventTime: string
  eventName: EventName
  userIdentity: { principalId: string }
  requestParameters: { sourceIPAddress: string }
  responseElements: Record<string, string>
  s3: {
    s3SchemaVersion: '1.0'
    configurationId: string
    bucket: { name: string; ownerIdentity: { principalId: string }; arn: string }
    object: { key: string; size?: number; eTag?: string; versionId?: string; sequencer: string }
  }
}

/** The event that tells of a version created or removed. */
export function createEvent(
  eventName: EventName,
  bucket: string,
  version: Version,
  context: { region: string; timeMs: number; sequence: number },
): S3Event {
  const principal = { principalId: 'local' }
  const created = eventName.startsWith('ObjectCreated:')
  const record: S3EventRecord = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: context.region,
    eventTime: new Date(context.timeMs).toISOString(),
    eventName,
    userIdentity: principal,
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: { 'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase() },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'local',
      bucket: { name: bucket, ownerIdentity: principal, arn: `arn:aws:s3:::${bucket}` },
      object: {
        key: encodeKey(version.key),
        ...(created && { size: version.size, eTag: version.etag }),
        ...(version.versionId !== 'null' && { versionId: version.versionId }),
        sequencer: context.sequence.toString(16).toUpperCase().padStart(18, '0'),
      },
    },
  }
  return { Records: [record] }
}
