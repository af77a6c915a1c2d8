/**
 * The stores as the functions that keep the index need them: those of files, and what is in quarantine.
 */
import type { StoreConfig } from '../lib/config.ts'
import type { IndexStores } from '../lib/indexing.ts'
import { createRefusals } from '../lib/refusals.ts'
import { createDynamo, createStores } from './wiring.ts'

/** Everything that indexing reads and writes. */
export function createIndexStores(config: StoreConfig, environment: NodeJS.ProcessEnv): IndexStores {
  return {
    ...createStores(config, environment),
    refusals: createRefusals(createDynamo(), config.filesTable),
    maxReadBytes: config.maxReadBytes,
  }
}
