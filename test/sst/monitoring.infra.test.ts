/**
 * What an operator sees: every alarm, where it goes, and a dashboard of exactly the metrics that exist.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'
import type { Plan } from './plan.ts'
import { inputsOf, ofKind, planOf, planWith } from './stages.ts'

const stages: [string, Plan][] = [
  ['staging', planOf('staging')],
  ['production', planOf('production')],
]

let service: Service
beforeAll(async () => {
  service = await startService({ METRICS_NAMESPACE: 'x', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' })
})
afterAll(() => service.close())

describe.each(stages)('in %s', (stage, plan) => {
  const alarms = ofKind(plan, 'MetricAlarm')
  const name = (part: string) => `file-resolver-${stage}-${part}-bdvfbzta`

  test.each<[string, string, string, object, number]>([
    ['Resolver5xx', 'AWS/Lambda', 'Url5xxCount', { FunctionName: name('ResolverFunction') }, 5],
    ['ResolverErrors', 'AWS/Lambda', 'Errors', { FunctionName: name('ResolverFunction') }, 5],
    ['ResolverThrottles', 'AWS/Lambda', 'Throttles', { FunctionName: name('ResolverFunction') }, 0],
    ['ResolverDuration', 'AWS/Lambda', 'Duration', { FunctionName: name('ResolverFunction') }, 60_000],
    ['IndexerErrors', 'AWS/Lambda', 'Errors', { FunctionName: name('IndexerFunction') }, 5],
    ['IndexerThrottles', 'AWS/Lambda', 'Throttles', { FunctionName: name('IndexerFunction') }, 50],
    ['ReconcilerErrors', 'AWS/Lambda', 'Errors', { FunctionName: name('ReconcilerFunction') }, 0],
    ['OldestEvent', 'AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: name('IndexQueueQueue') }, 900],
    [
      'DeadLettersArrived',
      'AWS/SQS',
      'ApproximateNumberOfMessagesVisible',
      { QueueName: name('DeadLettersQueue') },
      0,
    ],
    ['FilesReadThrottles', 'AWS/DynamoDB', 'ReadThrottleEvents', { TableName: name('FilesTable') }, 0],
    ['FilesWriteThrottles', 'AWS/DynamoDB', 'WriteThrottleEvents', { TableName: name('FilesTable') }, 0],
    [
      'BucketsWriteThrottles',
      'AWS/DynamoDB',
      'WriteThrottleEvents',
      { TableName: name('BucketsTable') },
      100,
    ],
  ])('%s watches %s %s and tells the topic', (alarm, namespace, metricName, dimensions, threshold) => {
    expect(inputsOf(plan, 'MetricAlarm', alarm)).toMatchObject({
      namespace,
      metricName,
      dimensions,
      threshold,
      comparisonOperator: 'GreaterThanThreshold',
      treatMissingData: 'notBreaching',
      alarmActions: ['arn:aws:sns:us-east-1:123456789012:Alarms'],
      okActions: ['arn:aws:sns:us-east-1:123456789012:Alarms'],
    })
  })

  test('a clock that is far ahead raises an alarm, and there is no alarm besides these', () => {
    const alarm = inputsOf(plan, 'MetricAlarm', 'ImpossibleBuckets')
    expect(alarm).toMatchObject({ namespace: `file-resolver/${stage}`, metricName: 'ImpossibleBuckets' })
    expect(alarm.dimensions).toBeUndefined()
    expect(alarms.length).toBe(14)
    expect(inputsOf(plan, 'MetricAlarm', 'ResolverDuration').extendedStatistic).toBe('p99')
  })

  test('a host whose calls are mostly refused raises an alarm, and a stranger who knocks now and then does not', () => {
    const { metricQueries, ...alarm } = inputsOf(plan, 'MetricAlarm', 'Resolver4xx')
    expect(alarm).toMatchObject({ threshold: 50, comparisonOperator: 'GreaterThanThreshold' })
    expect(alarm).not.toHaveProperty('statistic')
    expect(alarm).not.toHaveProperty('period')
    const counted = { namespace: 'AWS/Lambda', dimensions: { FunctionName: name('ResolverFunction') } }
    const sum = { ...counted, stat: 'Sum', period: 300 }
    expect(metricQueries).toEqual([
      { id: 'refused', metric: { ...sum, metricName: 'Url4xxCount' } },
      { id: 'calls', metric: { ...sum, metricName: 'UrlRequestCount' } },
      {
        id: 'share',
        expression: 'IF(calls >= 20, 100 * refused / calls, 0)',
        label: 'Refused, %',
        returnData: true,
      },
    ])
  })

  test('the dashboard shows the metrics that the code emits, by the dimensions it emits them with', async () => {
    for (let i = 0; i < 5; i += 1) await service.list()
    const emitted = service.logs.flatMap(([, , fields = {}]) =>
      directivesOf(fields._aws).flatMap(({ Dimensions: [dimensions = []], Metrics }) =>
        Metrics.map(({ Name }) => [...dimensions, Name].join(' ')),
      ),
    )
    const shown = widgetsOf(plan).flatMap(({ properties: { metrics } }) => metrics.flat().flatMap(searched))
    expect([...new Set(emitted)].sort()).toEqual(shown.sort())
    expect(JSON.stringify(widgetsOf(plan))).toContain(`["file-resolver/${stage}","ImpossibleBuckets"]`)
  })

  test('the dashboard has a widget for functions, queues and tables', () => {
    const shown = JSON.stringify(widgetsOf(plan))
    for (const part of [
      'ResolverFunction',
      'IndexQueueQueue',
      'DeadLettersQueue',
      'FilesTable',
      'BucketsTable',
    ]) {
      expect(shown).toContain(name(part))
    }
    expect(inputsOf(plan, 'Dashboard', 'Overview').dashboardName).toBe(`file-resolver-${stage}`)
  })
})

test('alarms are mailed to whom they were asked to be', () => {
  const plan = planWith('staging', { ALARM_EMAIL: 'ops@host.example' })
  expect(inputsOf(plan, 'TopicSubscription', 'AlarmEmail')).toEqual({
    topic: 'arn:aws:sns:us-east-1:123456789012:Alarms',
    protocol: 'email',
    endpoint: 'ops@host.example',
  })
})

test('a stage of somebody for a while is not watched', () => {
  const plan = planOf('dev')
  expect([...ofKind(plan, 'MetricAlarm'), ...ofKind(plan, 'Dashboard'), ...ofKind(plan, 'Topic')]).toEqual([])
})

interface Directive {
  Dimensions: string[][]
  Metrics: { Name: string }[]
}

function directivesOf(embedded: unknown): Directive[] {
  return (embedded as { CloudWatchMetrics: Directive[] } | undefined)?.CloudWatchMetrics ?? []
}

interface Widget {
  properties: { metrics: (string | { expression: string })[][] }
}

function widgetsOf(plan: Plan): Widget[] {
  return JSON.parse(inputsOf(plan, 'Dashboard', 'Overview').dashboardBody).widgets
}

/** The dimensions and the name of the metric that an expression searches. */
function searched(row: string | { expression: string }): string[] {
  if (typeof row === 'string') return []
  const [, schema = '', metric] = /^SEARCH\('\{(.*)\} MetricName="(\w+)"'/.exec(row.expression) ?? []
  return [[...schema.replaceAll('"', '').split(',').slice(1), metric].join(' ')]
}
