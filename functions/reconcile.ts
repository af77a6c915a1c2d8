/**
 * The reconciler as Lambda runs it, on a schedule, one at a time. It stops before Lambda's time is over, and the next
 * run goes on from there.
 */
import type { Context } from 'aws-lambda'
import { parseStoreConfig } from '../lib/config.ts'
import { createLog } from '../lib/log.ts'
import { reconcile } from '../lib/reconcile.ts'
import { createIndexStores } from './stores.ts'

const stores = createIndexStores(parseStoreConfig(process.env), process.env)
const log = createLog((line) => process.stdout.write(`${line}\n`))

/** Enough to finish the pages that are under way. */
const reserveMs = 60_000

/** Reconciles for as long as the invocation may run. Fails, so that an alarm sees it, if something stays unrepaired. */
export async function handler(_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) {
  const isOver = () => context.getRemainingTimeInMillis() < reserveMs
  const summary = await reconcile(stores, { walk: 'schedule', isOver, log })
  log('info', 'reconciled', summary)
  if (summary.failed > 0) throw new Error(`${summary.failed} could not be checked or repaired`)
  return summary
}
