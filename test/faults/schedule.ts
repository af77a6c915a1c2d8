/**
 * Faults by a schedule that a seed decides: the n-th call of an operation meets the same fault in every run with that
 * seed, whatever the order in which calls of different operations come.
 */
import { createHash } from 'node:crypto'
import { type Fault, operationOf } from '../proxy.ts'

/** A fault for a share of all calls, drawn from `faults`; `met` counts them. */
export function scheduled(seed: string, share: number, faults: readonly Fault[], met = { count: 0 }): Fault {
  const counts = new Map<string, number>()
  return (req, res, pass) => {
    const operation = operationOf(req)
    const n = counts.get(operation) ?? 0
    counts.set(operation, n + 1)
    const draw = createHash('sha256').update(`${seed} ${operation} ${n}`).digest()
    const fault = faults[draw.readUInt32LE(4) % faults.length]
    if (!fault || draw.readUInt32LE(0) / 2 ** 32 >= share) return pass()
    met.count += 1
    return fault(req, res, pass)
  }
}
