/**
 * The indexer of a bench: its queue and the function that Lambda runs, in a process of its own.
 */
import { createIndexStores } from '../functions/stores.ts'
import { createQueue } from '../infra/local/queue.ts'
import { parseStoreConfig } from '../lib/config.ts'
import { createIndexer } from '../lib/indexer.ts'
import { createLog } from '../lib/log.ts'

const log = createLog((line) => line.includes('"level":"info"') || process.stderr.write(`${line}\n`))
const index = createIndexer(createIndexStores(parseStoreConfig(process.env), process.env), log)
const queue = createQueue({ onDeadLetter: (body) => log('error', 'dead-letter', { body }) })
queue.deliverTo(async (batch) => {
  const failures = await index(batch)
  process.send?.({ handled: batch.Records.length - failures.batchItemFailures.length })
  return failures
})

process.on('message', ({ body }: { body: string }) => queue.send(body))
process.on('disconnect', () => process.exit(0))
process.send?.({})
