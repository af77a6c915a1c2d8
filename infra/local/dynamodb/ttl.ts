// Time to live: which attribute says when an item expires, and a sweep that removes what has. As in DynamoDB an
// expired item can be read until it is gone, and its removal is late: a sweep looks at a slice of rows at a time,
// so that a large table never stops the process.

import type { Table } from 'dynalite/db/index.js'
import { type Json, prepare } from './engine.ts'
import { isRecord, refusalType, refuse } from './errors.ts'
import { itemPrefix, within } from './store.ts'
import { findTable, readTable } from './tables.ts'
import { createView, type Shared, type View } from './view.ts'

const ttlPrefix = 'ttl~'
const sliceRows = 1_000
const fiveYearsSec = 5 * 365 * 86_400

/** UpdateTimeToLive. */
export async function updateTimeToLive(input: Json, view: View): Promise<Json> {
  const { TableName: name, TimeToLiveSpecification: spec } = input
  const table = findTable(view, String(name))
  if (!isRecord(spec) || typeof spec.AttributeName !== 'string' || typeof spec.Enabled !== 'boolean') {
    refuse('ValidationException', 'TimeToLiveSpecification needs AttributeName and Enabled')
  }
  const current = attributeOf(view, table.TableName)
  if (spec.Enabled && current === spec.AttributeName)
    refuse('ValidationException', 'TimeToLive is already enabled')
  if (!spec.Enabled && current === undefined) refuse('ValidationException', 'TimeToLive is already disabled')
  if (current !== undefined && current !== spec.AttributeName) {
    const message = `TimeToLive is active on a different AttributeName: current AttributeName is ${current}`
    refuse('ValidationException', message)
  }
  view.set(ttlPrefix + table.TableName, spec.Enabled ? spec.AttributeName : undefined)
  await view.commit()
  return { TimeToLiveSpecification: spec }
}

/** DescribeTimeToLive. */
export async function describeTimeToLive(input: Json, view: View): Promise<Json> {
  const { TableName: name } = readTable(view, String(input.TableName))
  const attribute = attributeOf(view, name)
  if (attribute === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }
  return { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: attribute } }
}

/** Forgets a table's setting, which must not outlive the table. */
export async function forgetTimeToLive(tableName: string, view: View): Promise<void> {
  view.set(ttlPrefix + tableName, undefined)
  await view.commit()
}

/** Creates the sweep: each call removes the expired items among the next slice of each table's rows. */
export function createSweep(shared: Shared, now: () => number): () => Promise<void> {
  const cursors = new Map<string, string>()

  async function sweepTable(name: string, attribute: string): Promise<void> {
    const table = findTable(createView(shared), name)
    const start = cursors.get(name)
    const range = within(itemPrefix(name), start === undefined ? {} : { gt: start })
    const cursor = shared.disk.iterator({ ...range, limit: sliceRows })
    const rows = await cursor.all()
    for (const [, item] of rows) {
      if (isRecord(item) && isExpired(item[attribute], now() / 1_000)) await remove(table, item, attribute)
    }
    const last = rows.length === sliceRows ? rows.at(-1)?.[0].slice(itemPrefix(name).length) : undefined
    if (last === undefined) cursors.delete(name)
    else cursors.set(name, last)
  }

  // On the condition that it still expires when the sweep saw it expire: it may have been written since.
  async function remove(table: Table, item: Json, attribute: string): Promise<void> {
    const input = {
      TableName: table.TableName,
      Key: Object.fromEntries(table.KeySchema.map(({ AttributeName: name }) => [name, item[name]])),
      ConditionExpression: '#expires = :seen',
      ExpressionAttributeNames: { '#expires': attribute },
      ExpressionAttributeValues: { ':seen': item[attribute] },
    }
    try {
      await prepare('DeleteItem', input, createView(shared), 'single').run()
    } catch (error) {
      if (refusalType(error) !== 'ConditionalCheckFailedException') throw error
    }
  }

  return async () => {
    const settings = await shared.disk.iterator(within(ttlPrefix)).all()
    for (const [key, attribute] of settings) {
      try {
        await sweepTable(key.slice(ttlPrefix.length), String(attribute))
      } catch (error) {
        // The table is being deleted.
        if (refusalType(error) !== 'ResourceNotFoundException') throw error
      }
    }
  }
}

function attributeOf(view: View, tableName: string): string | undefined {
  const attribute = view.get(ttlPrefix + tableName)
  return typeof attribute === 'string' ? attribute : undefined
}

// Seconds as a number; what expired more than five years ago is taken for a mistake, as DynamoDB does.
function isExpired(value: unknown, nowSec: number): boolean {
  if (!isRecord(value) || typeof value.N !== 'string') return false
  const atSec = Number(value.N)
  return atSec < nowSec && atSec > nowSec - fiveYearsSec
}
