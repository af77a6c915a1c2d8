// ConsumedCapacity of a transaction: each action costs twice what it costs alone, summed by table.

import { isRecord } from './errors.ts'

/** Sums the `ConsumedCapacity` members of single calls into a transaction's list, one entry a table. */
export function sumCapacity(
  outputs: Record<string, unknown>[],
  kind: 'Read' | 'Write',
): Record<string, unknown>[] {
  const unitsByTable = new Map<string, number>()
  for (const { ConsumedCapacity: consumed } of outputs) {
    if (!isRecord(consumed)) continue
    const { TableName: table, CapacityUnits: units } = consumed
    if (typeof table !== 'string' || typeof units !== 'number') continue
    unitsByTable.set(table, (unitsByTable.get(table) ?? 0) + 2 * units)
  }
  return [...unitsByTable].map(([TableName, CapacityUnits]) => ({
    TableName,
    CapacityUnits,
    [`${kind}CapacityUnits`]: CapacityUnits,
  }))
}
