/**
 * Environment → clients → stores: built once for each process, and handed down. Every endpoint and credential comes
 * from the SDK's standard variables, so that AWS, LocalStack, moto and the local cloud are served by the same code.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { ConfiguredRetryStrategy } from '@smithy/core/retry'
import { createApp } from '../lib/app.ts'
import { createAuthenticate } from '../lib/auth.ts'
import { createBucketStore } from '../lib/buckets.ts'
import type { Config } from '../lib/config.ts'
import { createFileIndex } from '../lib/files.ts'
import { createHealth } from '../lib/health.ts'
import { inlineKeys, remoteKeys } from '../lib/jwks.ts'
import { noFileId } from '../lib/keys.ts'
import type { Log } from '../lib/log.ts'
import { createMeter } from '../lib/metrics.ts'
import { createObjectStore } from '../lib/objects.ts'
import { createThrottle } from '../lib/throttle.ts'
import { boundingAnswers, checkingAnswers } from './integrity.ts'

/** Enough sockets that readers who stall stop nobody else; of what waits in one, no more than Node reads at a time. */
const agent = { keepAlive: true, maxSockets: 512, readableHighWaterMark: 16_384 }
const sockets = { httpAgent: agent, httpsAgent: agent, connectionTimeout: 2_000, throwOnRequestTimeout: true }

/**
 * An S3 client as the service needs it; a named endpoint is addressed by path, since its host may have no subdomains.
 * A socket on which nothing moves for `socketTimeout` milliseconds is given up.
 */
export function createS3(environment: NodeJS.ProcessEnv, socketTimeout = 10_000): S3Client {
  const ownEndpoint = environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL
  return boundingAnswers(
    new S3Client({
      forcePathStyle: ownEndpoint !== undefined,
      // validating S3's default checksum doubles the CPU of a read; length and version are pinned instead
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { ...sockets, requestTimeout: 8_000, socketTimeout },
    }),
  )
}

/** A DynamoDB client as the service needs it. */
export function createDynamo(): DynamoDBClient {
  const requestHandler = { ...sockets, requestTimeout: 5_000, socketTimeout: 5_000 }
  return checkingAnswers(new DynamoDBClient({ requestHandler }))
}

/** For the token buckets: one quick repetition; the throttle itself bounds the time. */
function createBucketsDynamo(): DynamoDBClient {
  return checkingAnswers(
    new DynamoDBClient({
      requestHandler: sockets,
      retryStrategy: new ConfiguredRetryStrategy(2, () => 20),
    }),
  )
}

/** The two stores that hold files. */
export function createStores(
  config: Pick<Config, 'bucket' | 'filesTable'>,
  environment: NodeJS.ProcessEnv,
  s3 = createS3(environment),
) {
  return {
    files: createFileIndex(createDynamo(), config.filesTable),
    objects: createObjectStore(s3, config.bucket),
  }
}

/** The whole app on its stores. */
export function createResolver(config: Config, environment: NodeJS.ProcessEnv, log: Log) {
  // a reader who is slow leaves S3's socket idle, so only the front bounds how long a body may take
  const { files, objects } = createStores(config, environment, createS3(environment, 0))
  const buckets = createBucketStore(createBucketsDynamo(), config.bucketsTable)
  const onUselessKey = (problem: string) => log('info', 'useless-key', { problem })
  const keys =
    'url' in config.keys ? remoteKeys(config.keys.url, { onUselessKey }) : inlineKeys(config.keys.jwks)
  const meter = createMeter(log, config.metricsNamespace)
  return createApp({
    authenticate: createAuthenticate({ ...config, keys }),
    throttle: createThrottle(buckets, config.rate, {
      onImpossibleState: (key) => meter.impossibleBucket(key),
    }),
    files,
    objects,
    health: createHealth(
      [
        { name: 'bucket', ping: (signal) => objects.ping(signal) },
        { name: 'files table', ping: (signal) => files.find('readyz', noFileId, signal) },
        { name: 'buckets table', ping: (signal) => buckets.ping(signal) },
      ],
      log,
    ),
    log,
    meter,
    maxReadBytes: config.maxReadBytes,
    firstByteMs: config.firstByteMs,
  })
}
