/**
 * What the service counts: one line for each call, in CloudWatch's embedded metric format, so that the log is the
 * transport and nothing is sent while a caller waits. By method and outcome, never by user, workspace or file.
 */
import type { Ended } from './audit.ts'
import type { Chunk } from './encode.ts'
import { ResolverError } from './errors.ts'
import type { Log } from './log.ts'
import { type MetricSet, metricSets } from './metric-sets.ts'
import { listMethod, readMethod } from './rpc.ts'

/** One call while it runs. It is written down once, when it ends. */
export interface Measurement {
  /** Times what storage takes to settle the answer to a call of this method. */
  storage<T>(method: string, settle: () => Promise<T>): Promise<T>
  /** Counts the answer's bytes; the call ends with them, as `broken` when they end before their end. */
  answer(chunks: AsyncGenerator<Chunk>): AsyncGenerator<Chunk>
  /** The call ended without an answer that is streamed, but perhaps with one of so many bytes. */
  end(outcome: string, bytes?: number): void
}

/** Counts what happens. */
export interface Meter {
  /** Begins to measure a call; `onEnd` is told once, when it ends. */
  begin(onEnd?: (call: Ended) => void): Measurement
  /** A token bucket was further ahead than any clock allows, and was replaced (contract 6). */
  impossibleBucket(key: string): void
}

/** A meter that writes to the log, or without a namespace only what is wrong; `now` is epoch milliseconds. */
export function createMeter(log: Log, namespace: string | undefined, now: () => number = Date.now): Meter {
  function embedded(...sets: MetricSet[]): Record<string, unknown> {
    if (namespace === undefined) return {}
    const CloudWatchMetrics = sets.map(({ dimensions, metrics }) => ({
      Namespace: namespace,
      Dimensions: [dimensions],
      Metrics: metrics,
    }))
    return { _aws: { Timestamp: now(), CloudWatchMetrics } }
  }

  return {
    begin(onEnd) {
      let method = 'other'
      let storageMs: number | undefined

      function end(outcome: string, bytes = 0): void {
        onEnd?.({ method, outcome, bytes })
        if (namespace === undefined) return
        log('info', 'call', {
          ...embedded(metricSets.outcomes, metricSets.calls),
          Method: method,
          Outcome: outcome,
          Requests: 1,
          Bytes: bytes,
          ...(storageMs === undefined ? {} : { StorageLatency: storageMs }),
          Throttled: outcome === 'rate-limited' ? 1 : 0,
        })
      }

      return {
        async storage(name, settle) {
          method = name === readMethod ? 'read' : name === listMethod ? 'list' : 'other'
          const start = now()
          try {
            return await settle()
          } finally {
            storageMs = Math.max(0, now() - start)
          }
        },
        async *answer(chunks) {
          let outcome = 'broken'
          let bytes = 0
          try {
            for await (const chunk of chunks) {
              bytes += chunk.length
              yield chunk
            }
            outcome = 'ok'
          } finally {
            end(outcome, bytes)
          }
        },
        end,
      }
    },
    impossibleBucket(key) {
      log('error', 'impossible-bucket-state', { key, ...embedded(metricSets.clocks), ImpossibleBuckets: 1 })
    },
  }
}

/** The outcome that an error stands for. */
export function outcomeOf(error: unknown): string {
  return error instanceof ResolverError ? error.code : 'internal'
}
