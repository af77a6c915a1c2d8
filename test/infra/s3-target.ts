/**
 * What the S3 checks run against, and the few helpers that they share.
 */
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { expect } from 'vitest'

/** An endpoint under test: its client, and a bucket without versioning that the checks may fill. */
export interface S3Target {
  client: S3Client
  bucket: string
}

/** Declares one check; its name is what `skip` names. */
export type Check = (name: string, run: (target: S3Target) => Promise<void>) => void

/** Expects the SDK to throw with this status and, where the protocol carries one, this name. */
export async function expectRefusal(call: Promise<unknown>, status: number, name?: string): Promise<void> {
  const outcome = await call.then(
    () => ({ status: 'no error', name: 'no error' }),
    (error: S3ServiceException) => ({
      status: error.$metadata?.httpStatusCode ?? error.message,
      name: error.name,
    }),
  )
  expect(outcome).toEqual({ status, name: name ?? outcome.name })
}

/** The body of an answer as text. */
export async function textOf(output: {
  Body?: { transformToString(): Promise<string> } | undefined
}): Promise<string> {
  return (await output.Body?.transformToString()) ?? ''
}

/** Bytes that repeat after a prime number, so that a lost or doubled chunk shows. */
export function patternOf(size: number): Buffer {
  const unit = Buffer.from(Array.from({ length: 251 }, (_, index) => index))
  return Buffer.alloc(size, unit)
}

/** The buffer as a stream of chunks of that size, which the SDK sends as aws-chunked with a trailer. */
export function* chunksOf(buffer: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes)
}
