// Finds a table's definition. The data operations need it on every call, so it is kept parsed between commits.

import type { Table } from 'dynalite/db/index.js'
import { isRecord, refuse } from './errors.ts'
import { tablePrefix, type View } from './view.ts'

/** The table in any state, in a copy that the caller may change; refused when there is none. */
export function readTable(view: View, name: string): Table {
  const table = view.get(tablePrefix + name)
  if (!isTable(table))
    refuse('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`)
  return table
}

/** The table to work with, shared between requests; refused when there is none or it is coming or going. */
export function findTable(view: View, name: string): Table {
  const { tables } = view.shared
  const known = tables.get(name)
  if (known) return known
  const table = view.get(tablePrefix + name)
  if (!isTable(table) || table.TableStatus === 'CREATING' || table.TableStatus === 'DELETING') {
    refuse('ResourceNotFoundException', 'Requested resource not found')
  }
  tables.set(name, table)
  return table
}

/** The names of all tables. */
export async function tableNames(view: View): Promise<string[]> {
  const keys = await view.shared.disk.keys({ gt: tablePrefix, lt: `${tablePrefix}\uffff` }).all()
  return keys.map((key) => key.slice(tablePrefix.length))
}

function isTable(value: unknown): value is Table {
  return isRecord(value) && typeof value.TableStatus === 'string'
}
