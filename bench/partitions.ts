/**
 * Token buckets in a table with the limits that DynamoDB's partitions have: a partition takes so many writes a second,
 * refused conditions included, and answers the rest as throttled, which the SDK repeats once, as it is configured.
 */
import type { Attempt, BucketStore } from '../lib/buckets.ts'
import type { World } from './world.ts'

/** Write units a second of one partition. */
export const partitionWrites = 1_000

/** The SDK's one repetition of a throttled update, after so long. */
const retryMs = 20

/** The store, and what its partitions have seen. */
export interface PartitionedStore extends BucketStore {
  readonly seen: { calls: number; written: number; throttled: number }
}

/** A store; `partitionOf` tells in which partition a bucket lies, and may change with time. */
export function createPartitionedStore(world: World, partitionOf: (key: string) => string): PartitionedStore {
  const tats = new Map<string, number>()
  const partitions = new Map<string, { units: number; atMs: number }>()
  const seen = { calls: 0, written: 0, throttled: 0 }

  /** Takes a unit of the partition; what is unused for a second is lost. */
  function hasRoom(key: string): boolean {
    const name = partitionOf(key)
    const { units, atMs } = partitions.get(name) ?? { units: partitionWrites, atMs: world.now() }
    const refilled = Math.min(partitionWrites, units + ((world.now() - atMs) * partitionWrites) / 1_000)
    partitions.set(name, { units: refilled >= 1 ? refilled - 1 : refilled, atMs: world.now() })
    return refilled >= 1
  }

  async function update(key: string, next: (tat: number) => number | undefined): Promise<Attempt> {
    seen.calls += 1
    for (let tries = 1; ; tries += 1) {
      await world.sleep(2 + world.random() * 4)
      if (hasRoom(key)) break
      seen.throttled += 1
      if (tries === 2) return 'throttled'
      await world.sleep(retryMs)
    }
    seen.written += 1
    const found = tats.get(key) ?? 0
    const tat = next(found)
    if (tat !== undefined) tats.set(key, tat)
    await world.sleep(1 + world.random() * 2)
    return { taken: tat !== undefined, tat: tat ?? found }
  }

  return {
    seen,
    restart: (key, { now, tat }) => update(key, (found) => (found <= now ? tat : undefined)),
    advance: (key, { now, latest, interval }) =>
      update(key, (found) => (found > now && found <= latest ? found + interval : undefined)),
    async replace(key, { found, tat }) {
      const attempt = await update(key, (present) => (present === found ? tat : undefined))
      return attempt !== 'throttled' && attempt.taken
    },
    async ping() {},
  }
}
