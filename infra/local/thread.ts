/**
 * What runs in a thread of apart.ts: the one emulator that `workerData` names. It reports its endpoint and every event,
 * and does what its parent asks for.
 */
import { mkdir } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod'
import { region } from './identity.ts'

const Task = z.object({
  part: z.enum(['s3', 'dynamodb']),
  dir: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
})
const { part, dir, credentials } = Task.parse(workerData)
const Question = z.enum(['flush', 'close'])

await mkdir(dir, { recursive: true })
const emulator = await start()
parentPort?.on('message', async (message: unknown) => {
  const question = Question.parse(message)
  // S3 tells of a change one turn after it has noted it
  if (question === 'flush') return void setImmediate(() => parentPort?.postMessage({ flushed: true }))
  await emulator.close()
  process.exit() // ends this thread only
})
parentPort?.postMessage({ endpoint: emulator.endpoint })

async function start() {
  if (part === 'dynamodb') {
    const { accessKeyId } = credentials
    return (await import('./dynamodb/server.ts')).startDynamo({ dir, accessKeyId })
  }
  const onEvent = (event: object) => parentPort?.postMessage({ event })
  return (await import('./s3/server.ts')).startS3({ region, credentials, dir, onEvent })
}
