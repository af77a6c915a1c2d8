/**
 * Alarms to one topic, and one dashboard. docs/operations.md says what each alarm means and what to do.
 */
import { metricSets } from '../lib/metric-sets.ts'
import { namespace, resolver } from './api.ts'
import { deadLetters, indexer, indexQueue, reconciler } from './indexer.ts'
import { present } from './stage.ts'
import { buckets, files } from './storage.ts'

const { ALARM_EMAIL } = present('ALARM_EMAIL')

const topic = new aws.sns.Topic('Alarms')
if (ALARM_EMAIL) {
  new aws.sns.TopicSubscription('AlarmEmail', { topic: topic.arn, protocol: 'email', endpoint: ALARM_EMAIL })
}

const byFunction = (lambda: sst.aws.Function) => ({ FunctionName: lambda.name })
const byTable = (table: sst.aws.Dynamo) => ({ TableName: table.name })
const byQueue = (queue: sst.aws.Queue) => ({ QueueName: queue.nodes.queue.name })

/** Raised when the sum over five minutes is above the threshold, unless told otherwise. */
function alarm(name: string, args: Partial<aws.cloudwatch.MetricAlarmArgs>): void {
  new aws.cloudwatch.MetricAlarm(name, {
    ...(args.extendedStatistic || args.metricQueries ? {} : { statistic: 'Sum' }),
    ...(args.metricQueries ? {} : { period: 300 }),
    evaluationPeriods: 1,
    threshold: 0,
    comparisonOperator: 'GreaterThanThreshold',
    treatMissingData: 'notBreaching',
    alarmActions: [topic.arn],
    okActions: [topic.arn],
    ...args,
  })
}

const lambda = { namespace: 'AWS/Lambda' }
alarm('Resolver5xx', { ...lambda, metricName: 'Url5xxCount', dimensions: byFunction(resolver), threshold: 5 })
const answers = (metricName: string) => ({
  ...lambda,
  metricName,
  dimensions: byFunction(resolver),
  stat: 'Sum',
  period: 300,
})
alarm('Resolver4xx', {
  metricQueries: [
    { id: 'refused', metric: answers('Url4xxCount') },
    { id: 'calls', metric: answers('UrlRequestCount') },
    {
      id: 'share',
      expression: 'IF(calls >= 20, 100 * refused / calls, 0)',
      label: 'Refused, %',
      returnData: true,
    },
  ],
  threshold: 50,
})
alarm('ResolverErrors', { ...lambda, metricName: 'Errors', dimensions: byFunction(resolver), threshold: 5 })
alarm('ResolverThrottles', { ...lambda, metricName: 'Throttles', dimensions: byFunction(resolver) })
alarm('ResolverDuration', {
  ...lambda,
  metricName: 'Duration',
  dimensions: byFunction(resolver),
  extendedStatistic: 'p99',
  threshold: 60_000,
  evaluationPeriods: 3,
})
alarm('IndexerErrors', { ...lambda, metricName: 'Errors', dimensions: byFunction(indexer), threshold: 5 })
alarm('IndexerThrottles', {
  ...lambda,
  metricName: 'Throttles',
  dimensions: byFunction(indexer),
  threshold: 50,
})
alarm('ReconcilerErrors', { ...lambda, metricName: 'Errors', dimensions: byFunction(reconciler) })

const sqs = { namespace: 'AWS/SQS', statistic: 'Maximum' }
alarm('OldestEvent', {
  ...sqs,
  metricName: 'ApproximateAgeOfOldestMessage',
  dimensions: byQueue(indexQueue),
  threshold: 900,
})
alarm('DeadLettersArrived', {
  ...sqs,
  metricName: 'ApproximateNumberOfMessagesVisible',
  dimensions: byQueue(deadLetters),
})

const dynamo = { namespace: 'AWS/DynamoDB' }
alarm('FilesReadThrottles', { ...dynamo, metricName: 'ReadThrottleEvents', dimensions: byTable(files) })
alarm('FilesWriteThrottles', { ...dynamo, metricName: 'WriteThrottleEvents', dimensions: byTable(files) })
alarm('BucketsWriteThrottles', {
  ...dynamo,
  metricName: 'WriteThrottleEvents',
  dimensions: byTable(buckets),
  threshold: 100,
})

alarm('ImpossibleBuckets', { namespace, metricName: metricSets.clocks.metrics[0].Name })

const region = aws.getRegionOutput({}).region

/** One widget of the dashboard; every row is a metric or an expression, as CloudWatch takes them. */
function widget(at: number, title: string, metrics: unknown[], stat = 'Sum') {
  return {
    type: 'metric',
    x: (at % 3) * 8,
    y: Math.floor(at / 3) * 6,
    width: 8,
    height: 6,
    properties: { region, title, stat, period: 300, view: 'timeSeries', metrics },
  }
}

/** All series of a metric of ours, whatever the values of its dimensions. */
function series({ dimensions }: { dimensions: readonly string[] }, metric: string, stat = 'Sum') {
  const schema = [namespace, ...dimensions].map((name) => `"${name}"`).join(',')
  return [{ expression: `SEARCH('{${schema}} MetricName="${metric}"', '${stat}', 300)`, id: 'e1', label: '' }]
}

const aws1 = (service: string, metric: string, dimension: string, value: $util.Output<string>) => [
  service,
  metric,
  dimension,
  value,
]

new aws.cloudwatch.Dashboard('Overview', {
  dashboardName: `${$app.name}-${$app.stage}`,
  dashboardBody: $jsonStringify({
    widgets: [
      widget(0, 'Calls by method and outcome', [series(metricSets.outcomes, 'Requests')]),
      widget(1, 'Storage latency p99, ms', [series(metricSets.calls, 'StorageLatency', 'p99')]),
      widget(2, 'Bytes served', [series(metricSets.calls, 'Bytes')]),
      widget(3, 'Calls refused by the throttle', [series(metricSets.calls, 'Throttled')]),
      widget(4, 'Resolver', [
        aws1('AWS/Lambda', 'Invocations', 'FunctionName', resolver.name),
        aws1('AWS/Lambda', 'Errors', 'FunctionName', resolver.name),
        aws1('AWS/Lambda', 'Throttles', 'FunctionName', resolver.name),
        aws1('AWS/Lambda', 'Url5xxCount', 'FunctionName', resolver.name),
      ]),
      widget(
        5,
        'Resolver: instances busy',
        [aws1('AWS/Lambda', 'ConcurrentExecutions', 'FunctionName', resolver.name)],
        'Maximum',
      ),
      widget(
        6,
        'Events waiting, and dead letters',
        [
          aws1('AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', indexQueue.nodes.queue.name),
          aws1('AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', deadLetters.nodes.queue.name),
        ],
        'Maximum',
      ),
      widget(7, 'Table throttling', [
        aws1('AWS/DynamoDB', 'ReadThrottleEvents', 'TableName', files.name),
        aws1('AWS/DynamoDB', 'WriteThrottleEvents', 'TableName', files.name),
        aws1('AWS/DynamoDB', 'WriteThrottleEvents', 'TableName', buckets.name),
      ]),
      widget(8, 'Impossible token buckets', [[namespace, metricSets.clocks.metrics[0].Name]]),
    ],
  }),
})
