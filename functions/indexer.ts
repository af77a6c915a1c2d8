/**
 * The indexer as Lambda runs it, on the queue that the bucket's events go to. The queue's event source must have
 * ReportBatchItemFailures on.
 */
import { parseStoreConfig } from '../lib/config.ts'
import { createIndexer } from '../lib/indexer.ts'
import { createLog } from '../lib/log.ts'
import { createIndexStores } from './stores.ts'

const log = createLog((line) => process.stdout.write(`${line}\n`))

/** Answers batches of SQS messages. */
export const handler = createIndexer(createIndexStores(parseStoreConfig(process.env), process.env), log)
