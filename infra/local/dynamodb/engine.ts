// dynalite's operations, called in this process and without its HTTP server: its validation, then its action on
// the store of one request. What it throws in whatever callback becomes that request's error; called the way it is
// meant to be, it would end the process.

import { createRequire } from 'node:module'
import validations, { type Custom, type Types } from 'dynalite/validations/index.js'
import { asRefusal, DynamoError, refusalType } from './errors.ts'
import { createStore, type Mode, type Store } from './store.ts'
import type { View } from './view.ts'

/** A request's or a response's JSON. */
export type Json = Record<string, unknown>

/** One call that passed dynalite's validation and has not run yet. */
export interface Call {
  data: Json
  run(): Promise<Json>
}

interface Operation {
  types: Types
  custom?: Custom
  act: (store: Store, data: Json, done: (error: unknown, output?: Json) => void) => void
}

const names = [
  ...['GetItem', 'Query', 'Scan', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
  ...['CreateTable', 'UpdateTable', 'DeleteTable', 'DescribeTable', 'ListTables'],
  ...['TagResource', 'UntagResource', 'ListTagsOfResource'],
]

const load = createRequire(import.meta.url)
const operations = new Map<string, Operation>(
  names.map((name) => {
    const file = `${name.charAt(0).toLowerCase()}${name.slice(1)}.js`
    return [name, { ...load(`dynalite/validations/${file}`), act: load(`dynalite/actions/${file}`) }]
  }),
)

/** Whether dynalite knows the operation. */
export function isOperation(name: string): boolean {
  return operations.has(name)
}

/** Validates `input` as dynalite does, throwing its refusal, and binds the operation to `view`. */
export function prepare(name: string, input: Json, view: View, mode: Mode): Call {
  const operation = operations.get(name)
  if (!operation) throw new Error(`dynalite has no operation ${name}`)
  // Before the validation, which drops whatever dynalite does not know.
  const wantsOld = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
  const store = createStore(view, mode)
  const data = validate(operation, input, store)
  return { data, run: () => act(operation, data, store, view, wantsOld) }
}

function validate({ types, custom }: Operation, input: Json, store: Store): Json {
  try {
    const data = validations.checkTypes(input, types)
    validations.checkValidations(data, types, custom, store)
    return data
  } catch (error) {
    throw asRefusal(error)
  }
}

async function act(
  operation: Operation,
  data: Json,
  store: Store,
  view: View,
  wantsOld: boolean,
): Promise<Json> {
  view.lastItem = undefined
  try {
    return await new Promise<Json>((resolve, reject) => {
      view.onThrow = reject
      operation.act(store, data, (error, output) => (error ? reject(error) : resolve(output || {})))
    })
  } catch (error) {
    throw withOldItem(asRefusal(error), wantsOld ? view.lastItem : undefined)
  } finally {
    for (const leave of view.leaves) leave()
  }
}

// dynalite accepts ReturnValuesOnConditionCheckFailure and ignores it. The item was read under the same lock as
// the condition was checked, so it is that very item.
function withOldItem(error: unknown, item: Json | undefined): unknown {
  if (!item || !(error instanceof DynamoError)) return error
  if (refusalType(error) !== 'ConditionalCheckFailedException') return error
  return new DynamoError({ ...error.body, Item: item })
}
