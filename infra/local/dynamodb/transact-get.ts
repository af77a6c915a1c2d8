// TransactGetItems, which dynalite lacks: up to 100 consistent GetItems. The caller holds the lock alone, so that
// they all see one moment.

import { sumCapacity } from './capacity.ts'
import { type Json, prepare } from './engine.ts'
import { isRecord, refuse } from './errors.ts'
import { readActions } from './transact.ts'
import type { View } from './view.ts'

/** Carries out a TransactGetItems request: one response for each action, empty where there is no item. */
export async function transactGet(input: Json, view: View): Promise<Json> {
  const { ReturnConsumedCapacity: capacity } = input
  const outputs: Json[] = []
  for (const { Get: get } of readActions(input)) {
    if (!isRecord(get)) refuse('ValidationException', 'TransactItems can only contain Get')
    const asked = { ...get, ConsistentRead: true, ReturnConsumedCapacity: capacity }
    outputs.push(await prepare('GetItem', asked, view, 'whole').run())
  }
  const responses = outputs.map(({ Item }) => (isRecord(Item) ? { Item } : {}))
  if (capacity !== 'TOTAL' && capacity !== 'INDEXES') return { Responses: responses }
  return { Responses: responses, ConsumedCapacity: sumCapacity(outputs, 'Read') }
}
