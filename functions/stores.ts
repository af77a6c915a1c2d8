/**
 * The stores as the functions that keep the index need them: those of files, the quarantine, the table as a whole.
 */
import type { StoreConfig } from '../lib/config.ts'
import { createRefusals } from '../lib/refusals.ts'
import type { ReconcileStores } from '../lib/repair.ts'
import { createSurvey } from '../lib/survey.ts'
import { createDynamo, createStores } from './wiring.ts'

/** Everything that indexing and reconciling read and write. */
export function createIndexStores(config: StoreConfig, environment: NodeJS.ProcessEnv): ReconcileStores {
  const dynamo = createDynamo()
  return {
    ...createStores(config, environment),
    refusals: createRefusals(dynamo, config.filesTable),
    survey: createSurvey(dynamo, config.filesTable),
    maxReadBytes: config.maxReadBytes,
  }
}
