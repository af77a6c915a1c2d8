/**
 * The local cloud as `npm run dev` runs it: each emulator in a thread of its own. On one event loop a service that is
 * busy with a hundred bodies leaves its storage no turn, and storage that is slow is answered 503; and DynamoDB must
 * answer within half a second also while S3 sends a hundred objects.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Cloud } from './cloud.ts'
import { credentials, environmentOf } from './identity.ts'
import type { S3Event } from './s3/events.ts'

/** How to run it. */
export interface ApartOptions {
  /** Keeps the data. */
  readonly dir: string
  /** Called after each change of an object. */
  readonly onEvent: (event: S3Event) => void
  /** Called when an emulator dies by itself. */
  readonly onCrash: (error: Error) => void
}

/** What thread.ts says. */
type Report = { endpoint: string } | { event: S3Event } | { flushed: true }

/** Starts both emulators. Throws what they throw, for one when the folder is in use. */
export async function startCloudApart({ dir, onEvent, onCrash }: ApartOptions): Promise<Cloud> {
  // one after the other: DynamoDB locks its folder, and S3 tidies up in one where nobody else may be writing
  const dynamo = await startThread('dynamodb', join(dir, 'dynamodb'), onCrash)
  const s3 = await startThread('s3', join(dir, 's3'), onCrash)
  s3.worker.on('message', (report: Report) => 'event' in report && onEvent(report.event))
  return {
    environment: environmentOf({ s3: s3.endpoint, dynamodb: dynamo.endpoint }),
    async flush() {
      s3.worker.postMessage('flush')
      await next(s3.worker, 'flushed')
    },
    async close() {
      await Promise.all([s3.close(), dynamo.close()])
    },
  }
}

async function startThread(part: 's3' | 'dynamodb', dir: string, onCrash: (error: Error) => void) {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { part, dir, credentials },
  })
  const { endpoint } = await next(worker, 'endpoint')
  worker.on('error', (cause) => onCrash(new Error(`The emulated ${part} broke: ${cause}`, { cause })))
  return {
    worker,
    endpoint,
    async close() {
      worker.postMessage('close')
      await once(worker, 'exit')
    },
  }
}

/** The next report of a kind. Rejects when the thread dies before. */
function next<K extends string>(worker: Worker, kind: K): Promise<Extract<Report, Record<K, unknown>>> {
  return new Promise((resolve, reject) => {
    const isWanted = (report: Report): report is Extract<Report, Record<K, unknown>> => kind in report
    const onMessage = (report: Report) => {
      if (isWanted(report)) settle(() => resolve(report))
    }
    const settle = (end: () => void) => {
      worker.off('message', onMessage)
      worker.off('error', reject)
      end()
    }
    worker.on('message', onMessage)
    worker.once('error', (error) => settle(() => reject(error)))
  })
}
