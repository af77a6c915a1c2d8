/**
 * The throttle when the store takes longer than a token takes to come back, and other instances use the same bucket:
 * what the bucket looked like at the answer is out of date before it can be acted on.
 */
import { expect, test } from 'vitest'
import { createPartitionedStore } from '../bench/partitions.ts'
import { createWorld } from '../bench/world.ts'
import type { BucketStore } from '../lib/buckets.ts'
import { createThrottle } from '../lib/throttle.ts'

const caller = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }

test('an admission never needs a third call, however often another instance comes in between', async () => {
  const world = createWorld(1)
  const store = createPartitionedStore(world, () => 'one')
  const other = createThrottle(store, { perSecond: 100, burst: 100 }, world)
  const calls: string[] = []
  const between =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls.push(name)
      await world.sleep(15)
      await other.take(caller)
      const answer = await call(...args)
      await world.sleep(15)
      return answer
    }
  const slow: BucketStore = {
    ...store,
    restart: between('restart', store.restart),
    advance: between('advance', store.advance),
  }
  const taken = createThrottle(slow, { perSecond: 100, burst: 100 }, world).take(caller)
  await world.run(400)
  expect(calls).toEqual(['restart', 'advance'])
  await taken
})
