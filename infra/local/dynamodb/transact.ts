// TransactWriteItems, which dynalite lacks. Every action runs on one view, against the state before the
// transaction, and all of them do, to collect each one's reason; then the view is committed in one batch, or
// dropped. The caller holds the lock alone.

import db from 'dynalite/db/index.js'
import { sumCapacity } from './capacity.ts'
import { type Call, type Json, prepare } from './engine.ts'
import { asRefusal, DynamoError, isRecord, refusalType, refuse } from './errors.ts'
import { itemPrefix } from './store.ts'
import { findTable } from './tables.ts'
import type { Tokens } from './tokens.ts'
import { createView, type View } from './view.ts'

interface Action extends Call {
  /** The key of the item as the database keeps it, unique over all tables; absent when the item has none. */
  id: string | undefined
}

const kinds = ['Put', 'Update', 'Delete', 'ConditionCheck']
const maxActions = 100
const maxTokenChars = 36
const maxBytes = 4 * 1024 * 1024

/** Carries out a TransactWriteItems request on `view` as a whole, or refuses it and changes nothing. */
export async function transactWrite(input: Json, view: View, tokens: Tokens): Promise<Json> {
  const { ReturnConsumedCapacity: capacity } = input
  const items = readActions(input)
  const token = readToken(input)
  const request = JSON.stringify(items)
  if (token !== undefined && tokens.isDone(token, request)) return {}

  const actions = items.map((item) => prepareAction(item, capacity, view))
  refuseDuplicates(actions)
  const outputs = await runAll(actions)
  refuseOverweight(actions, view)
  await view.commit()

  if (token !== undefined) tokens.done(token, request)
  if (capacity !== 'TOTAL' && capacity !== 'INDEXES') return {}
  return { ConsumedCapacity: sumCapacity(outputs, 'Write') }
}

/** The members of `TransactItems`, 1 to 100 of them. */
export function readActions({ TransactItems: items }: Json): Json[] {
  const list = Array.isArray(items) ? items.filter(isRecord) : []
  if (!Array.isArray(items)) refuseMember('transactItems', 'not be null')
  if (list.length < 1) refuseMember('transactItems', 'have length greater than or equal to 1')
  if (list.length > maxActions)
    refuseMember('transactItems', `have length less than or equal to ${maxActions}`)
  return list
}

function readToken({ ClientRequestToken: token }: Json): string | undefined {
  if (typeof token !== 'string') return undefined
  if (token.length > maxTokenChars) refuseMember('clientRequestToken', 'have length less than or equal to 36')
  return token
}

// In DynamoDB's words, but for the value, which it would repeat.
function refuseMember(name: string, rule: string): never {
  const message = `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must ${rule}`
  refuse('ValidationException', message)
}

function prepareAction(item: Json, capacity: unknown, view: View): Action {
  const [[kind = '', params] = [], ...others] = Object.entries(item)
  if (!kinds.includes(kind) || !isRecord(params) || others.length > 0) {
    refuse('ValidationException', 'TransactItems can only contain one of Check, Put, Update or Delete')
  }
  if (kind === 'ConditionCheck' && typeof params.ConditionExpression !== 'string') {
    refuse('ValidationException', 'The ConditionExpression of a ConditionCheck must not be null')
  }
  const asked = { ...params, ReturnConsumedCapacity: capacity }
  // A condition check is a delete, of the same parameters, on a view that is never committed.
  const call =
    kind === 'ConditionCheck'
      ? prepare('DeleteItem', asked, createView(view.shared), 'whole')
      : prepare(`${kind}Item`, asked, view, 'whole')
  return { ...call, id: idOf(call.data, view) }
}

// A key that does not fit the table refuses the request; an item that does not fit is its action's own failure.
function idOf({ TableName, Item, Key }: Json, view: View): string | undefined {
  const table = findTable(view, String(TableName))
  if (isRecord(Item)) {
    return db.validateItem(Item, table) ? undefined : itemPrefix(table.TableName) + db.createKey(Item, table)
  }
  const key = isRecord(Key) ? Key : {}
  const invalid = db.validateKey(key, table)
  if (invalid) throw asRefusal(invalid)
  return itemPrefix(table.TableName) + db.createKey(key, table)
}

function refuseDuplicates(actions: Action[]): void {
  const ids = actions.flatMap(({ id }) => id ?? [])
  if (new Set(ids).size === ids.length) return
  refuse('ValidationException', 'Transaction request cannot include multiple operations on one item')
}

async function runAll(actions: Action[]): Promise<Json[]> {
  const outputs: Json[] = []
  const reasons: Json[] = []
  for (const action of actions) {
    try {
      outputs.push(await action.run())
      reasons.push({ Code: 'None' })
    } catch (error) {
      reasons.push(reasonOf(error))
    }
  }
  if (outputs.length === actions.length) return outputs
  const codes = reasons.map(({ Code }) => Code).join(', ')
  throw new DynamoError({
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    // The one error of DynamoDB whose message is spelled with a capital.
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
  })
}

function reasonOf(error: unknown): Json {
  const type = refusalType(error)
  if (!(error instanceof DynamoError)) throw error
  if (type === 'ValidationException') return { Code: 'ValidationError', Message: error.message }
  if (type !== 'ConditionalCheckFailedException') throw error
  const { message, Item } = error.body
  return { Code: 'ConditionalCheckFailed', Message: message, ...(isRecord(Item) && { Item }) }
}

function refuseOverweight(actions: Action[], view: View): void {
  const items = actions.flatMap(({ id }) => (id === undefined ? [] : view.get(id))).filter(isRecord)
  const bytes = items.reduce((sum, item) => sum + db.itemSize(item), 0)
  if (bytes > maxBytes)
    refuse('ValidationException', 'The aggregate size of the items in the transaction exceeds 4 MB')
}
