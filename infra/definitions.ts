/**
 * What the cloud consists of, as plain data: the deployed stacks, the local cloud and LocalStack's init script are all
 * made from this, so that they cannot disagree.
 */

/** A DynamoDB table: keys are strings; `ttl` is the attribute (epoch seconds) after which an item may go. */
export interface TableDefinition {
  readonly hashKey: string
  readonly rangeKey: string | undefined
  readonly ttl: string
}

/** File items and their index rows. */
export const filesTable: TableDefinition = { hashKey: 'pk', rangeKey: 'sk', ttl: 'expiresAtSec' }

/** Token buckets; a table of its own, so that rights can be given by table. */
export const bucketsTable: TableDefinition = { hashKey: 'pk', rangeKey: undefined, ttl: 'expiresAtSec' }
