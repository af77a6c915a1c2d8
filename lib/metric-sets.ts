/**
 * The metrics that the service publishes, as plain data: the code emits these, the dashboard and alarms are made of them.
 */

/** Metrics that are published together, by the values of some fields of their line. */
export interface MetricSet {
  readonly dimensions: readonly string[]
  readonly metrics: readonly { readonly Name: string; readonly Unit: string }[]
}

/** Every metric. */
export const metricSets = {
  outcomes: { dimensions: ['Method', 'Outcome'], metrics: [{ Name: 'Requests', Unit: 'Count' }] },
  calls: {
    dimensions: ['Method'],
    metrics: [
      { Name: 'Bytes', Unit: 'Bytes' },
      { Name: 'StorageLatency', Unit: 'Milliseconds' },
      { Name: 'Throttled', Unit: 'Count' },
    ],
  },
  clocks: { dimensions: [], metrics: [{ Name: 'ImpossibleBuckets', Unit: 'Count' }] },
} as const satisfies Record<string, MetricSet>
