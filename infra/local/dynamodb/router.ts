// Which code answers an operation, and how it holds the lock: what touches one item or only reads shares it;
// what writes several items, reads several as of one moment, or changes a table has it alone.

import { isOperation, type Json, prepare } from './engine.ts'
import { DynamoError } from './errors.ts'
import type { Lock } from './lock.ts'
import { readTable } from './tables.ts'
import type { Tokens } from './tokens.ts'
import { transactWrite } from './transact.ts'
import { transactGet } from './transact-get.ts'
import { describeTimeToLive, forgetTimeToLive, updateTimeToLive } from './ttl.ts'
import { createView, type Shared, type View } from './view.ts'

/** Answers one operation, or throws its refusal. */
export type Router = (name: string, input: Json) => Promise<Json>

const sharing = new Set([
  ...['GetItem', 'Query', 'Scan', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['DescribeTable', 'ListTables', 'ListTagsOfResource'],
])

/** Creates the router over the rows, the lock and the memory of tokens. */
export function createRouter(shared: Shared, lock: Lock, tokens: Tokens): Router {
  const { disk } = shared
  return async (name, input) => {
    if (disk.isTorn()) await lock.exclusive(disk.mend)
    const view = createView(shared)
    if (name === 'TransactWriteItems') return lock.exclusive(() => transactWrite(input, view, tokens))
    if (name === 'TransactGetItems') return lock.exclusive(() => transactGet(input, view))
    if (name === 'UpdateTimeToLive') return lock.exclusive(() => updateTimeToLive(input, view))
    if (name === 'DescribeTimeToLive') return lock.shared(() => describeTimeToLive(input, view))
    if (name === 'DescribeContinuousBackups') return lock.shared(async () => describeBackups(input, view))
    if (name === 'BatchWriteItem') return lock.exclusive(() => batchWrite(input, view))
    if (name === 'DeleteTable') return lock.exclusive(() => deleteTable(input, view))
    if (!isOperation(name))
      throw new DynamoError({ __type: 'com.amazon.coral.service#UnknownOperationException' })
    const run = () => prepare(name, input, view, 'single').run()
    return sharing.has(name) ? lock.shared(run) : lock.exclusive(run)
  }
}

// DynamoDB promises no more than item by item; one batch for all of them is what makes loading fast.
async function batchWrite(input: Json, view: View): Promise<Json> {
  const output = await prepare('BatchWriteItem', input, view, 'whole').run()
  await view.commit()
  return output
}

async function deleteTable(input: Json, view: View): Promise<Json> {
  const output = await prepare('DeleteTable', input, view, 'single').run()
  await forgetTimeToLive(String(input.TableName), view)
  return output
}

function describeBackups(input: Json, view: View): Json {
  readTable(view, String(input.TableName))
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
    },
  }
}
