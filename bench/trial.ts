/**
 * One trial of the throttle against the limits of a partition. The throttle is the real one; instances, table and time
 * are simulated, so that the outcome is the same in every run.
 */
import { ResolverError } from '../lib/errors.ts'
import { createThrottle, type Rate, type Throttle } from '../lib/throttle.ts'
import { createPartitionedStore } from './partitions.ts'
import { createWorld, type World } from './world.ts'

/** How many ask whom, and how the buckets are kept. */
export interface Trial {
  readonly what: string
  readonly rate: Rate
  readonly instances: number
  /** Requests a second of each server, spread over all instances. */
  readonly asked: number
  readonly servers?: number
  /** Buckets among which one server's rate is divided. */
  readonly shards?: number
  /** Tokens that an instance takes at once. */
  readonly lease?: number
  /** Servers that ask for 50 a second besides, their buckets in the same partition. */
  readonly neighbours?: number
  /** From then on each bucket has a partition of its own, as DynamoDB arranges for hot ones. */
  readonly splitMs?: number
}

/** Rates a second of the servers on trial, over the last five of ten seconds, when no burst is left. */
export interface Outcome {
  readonly what: string
  readonly asked: number
  readonly admitted: number
  /** By the bucket, and because the partition was busy. */
  readonly refused: number
  readonly throttled: number
  /** Write units of all buckets together. */
  readonly writes: number
  /** Share of the neighbours' requests that were admitted. */
  readonly neighbours: number | undefined
}

interface Count {
  asked: number
  admitted: number
  refused: number
  throttled: number
}

const halfMs = 5_000
const neighbourRate = 50

/** Runs one trial. */
export async function runTrial(trial: Trial): Promise<Outcome> {
  const {
    rate,
    servers = 1,
    shards = 1,
    lease = 1,
    neighbours = 0,
    splitMs = Number.POSITIVE_INFINITY,
  } = trial
  const world = createWorld(1)
  const beganMs = world.now()
  const store = createPartitionedStore(world, (key) => (world.now() - beganMs >= splitMs ? key : 'one'))
  const part = { perSecond: rate.perSecond / shards / lease, burst: rate.burst / shards / lease }
  const fronts = Array.from({ length: trial.instances }, () =>
    leasing(createThrottle(store, part, world), lease, world),
  )
  const main = Array.from({ length: servers }, (_, i) => flood(world, fronts, `s${i}`, trial.asked, shards))
  const beside = Array.from({ length: neighbours }, (_, i) => flood(world, fronts, `n${i}`, neighbourRate, 1))
  await world.run(halfMs)
  for (const count of [...main, ...beside]) Object.assign(count, none())
  const before = store.seen.written
  await world.run(2 * halfMs)
  const total = (counts: readonly Count[], name: keyof Count) =>
    counts.reduce((sum, count) => sum + count[name], 0) / (halfMs / 1_000)
  return {
    what: trial.what,
    asked: total(main, 'asked'),
    admitted: total(main, 'admitted'),
    refused: total(main, 'refused'),
    throttled: total(main, 'throttled'),
    writes: (store.seen.written - before) / (halfMs / 1_000),
    neighbours: neighbours > 0 ? total(beside, 'admitted') / total(beside, 'asked') : undefined,
  }
}

function none(): Count {
  return { asked: 0, admitted: 0, refused: 0, throttled: 0 }
}

/** Asks so often a second at random moments, each time through another instance, and counts what comes of it. */
function flood(
  world: World,
  fronts: readonly Throttle[],
  server: string,
  perSecond: number,
  shards: number,
): Count {
  const count = none()
  const pick = (n: number) => Math.floor(world.random() * n)
  async function ask(): Promise<void> {
    const caller = { workspaceId: 'acme', userId: 'ana', serverId: `${server}.${pick(shards)}` }
    count.asked += 1
    try {
      await fronts[pick(fronts.length)]?.take(caller)
      count.admitted += 1
    } catch (error) {
      if (!(error instanceof ResolverError)) throw error
      // only a busy partition asks for a second's wait: these buckets have a token sooner
      if (Number(error.data?.retryAfterMs) < 1_000) count.refused += 1
      else count.throttled += 1
    }
  }
  async function keepAsking(): Promise<void> {
    for (let nextMs = world.now(); ; await world.sleep(1)) {
      while (nextMs <= world.now()) {
        void ask()
        nextMs += (-Math.log(1 - world.random()) * 1_000) / perSecond
      }
    }
  }
  void keepAsking()
  return count
}

/** A throttle that takes `lease` tokens with one update and gives them out itself for a second. */
function leasing(throttle: Throttle, lease: number, world: World): Throttle {
  if (lease === 1) return throttle
  const held = new Map<string, { left: number; untilMs: number }>()
  return {
    async take(caller) {
      const own = held.get(caller.serverId)
      if (own && own.left > 0 && world.now() < own.untilMs) {
        own.left -= 1
        return
      }
      await throttle.take(caller)
      held.set(caller.serverId, { left: lease - 1, untilMs: world.now() + 1_000 })
    },
  }
}
