/**
 * The functions: what each may do and nothing more, how each is run, and that what is deployed is what was built.
 */
import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { functionNames } from '../../infra/bundle.ts'
import { allowed, inputsOf, ofKind, planOf, planWith, policyOf } from './stages.ts'

const plans = { dev: planOf('dev'), staging: planOf('staging'), production: planOf('production') }
const stages = Object.entries(plans)

describe.each(stages)('in %s', (stage, plan) => {
  const bucket = `arn:aws:s3:::file-resolver-${stage}-filesbucketbucket-bdvfbzta`
  const table = (name: string) =>
    `arn:aws:dynamodb:us-east-1:123456789012:table/file-resolver-${stage}-${name}-bdvfbzta`
  const queue = `arn:aws:sqs:us-east-1:123456789012:file-resolver-${stage}-IndexQueueQueue-bdvfbzta`
  const logs = `arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/file-resolver-${stage}-*:*`
  const logging = [`Allow logs:CreateLogStream ${logs}`, `Allow logs:PutLogEvents ${logs}`]
  const indexing = [
    `Allow dynamodb:DeleteItem ${table('FilesTable')}`,
    `Allow dynamodb:GetItem ${table('FilesTable')}`,
    `Allow dynamodb:PutItem ${table('FilesTable')}`,
    ...logging,
    `Allow s3:DeleteObject ${bucket}/files/*`,
    `Allow s3:GetObject ${bucket}/files/*`,
    `Allow s3:GetObjectVersion ${bucket}/files/*`,
    `Allow s3:ListBucket ${bucket}`,
  ]

  test('the resolver may read files, look into the index, and take tokens', () => {
    expect(allowed(policyOf(plan, 'Resolver'))).toEqual([
      `Allow dynamodb:GetItem ${table('FilesTable')}`,
      `Allow dynamodb:Query ${table('FilesTable')}`,
      `Allow dynamodb:UpdateItem ${table('BucketsTable')}`,
      ...logging,
      `Allow s3:GetObject ${bucket}/files/*`,
      `Allow s3:GetObjectVersion ${bucket}/files/*`,
      `Allow s3:ListBucket ${bucket}`,
    ])
  })

  test('the indexer may index, finish deletions and take events, and knows nothing of token buckets', () => {
    expect(allowed(policyOf(plan, 'Indexer'))).toEqual([
      ...indexing,
      `Allow sqs:DeleteMessage ${queue}`,
      `Allow sqs:GetQueueAttributes ${queue}`,
      `Allow sqs:ReceiveMessage ${queue}`,
    ])
  })

  test('the reconciler may index, and walk the table', () => {
    expect(allowed(policyOf(plan, 'Reconciler'))).toEqual(
      [
        ...indexing,
        `Allow dynamodb:BatchGetItem ${table('FilesTable')}`,
        `Allow dynamodb:ConditionCheckItem ${table('FilesTable')}`,
        `Allow dynamodb:Scan ${table('FilesTable')}`,
      ].sort(),
    )
  })

  test('a host that stores files may write objects and the index', () => {
    expect(allowed(inputsOf(plan, 'Policy', 'FilesWriter').policy)).toEqual([
      `Allow dynamodb:DeleteItem ${table('FilesTable')}`,
      `Allow dynamodb:GetItem ${table('FilesTable')}`,
      `Allow dynamodb:PutItem ${table('FilesTable')}`,
      `Allow s3:DeleteObject ${bucket}/files/*`,
      `Allow s3:GetObject ${bucket}/files/*`,
      `Allow s3:GetObjectVersion ${bucket}/files/*`,
      `Allow s3:ListBucket ${bucket}`,
      `Allow s3:PutObject ${bucket}/files/*`,
    ])
  })

  test('no role has a wildcard action, a bare * or a managed policy, and only its service can assume it', () => {
    const roles = ofKind(plan, 'Role')
    expect(roles.map(({ name }) => name).sort()).toEqual([
      'IndexerRole',
      'ReconcileRole',
      'ReconcilerRole',
      'ResolverRole',
    ])
    for (const { name } of roles) {
      const rights = allowed(policyOf(plan, name.replace(/Role$/, '')))
      expect(rights.filter((right) => /^Allow \S*\*| \*$/.test(right))).toEqual([])
      const trust = JSON.stringify(inputsOf(plan, 'Role', name).assumeRolePolicy)
      expect(trust).toMatch(
        name === 'ReconcileRole' ? /"scheduler\.amazonaws\.com"/ : /"lambda\.amazonaws\.com"/,
      )
      expect(trust).not.toContain(':root')
    }
  })

  test('every function runs on Node 24 on arm64, logs JSON with an end, and is told names, not secrets', () => {
    const days = stage === 'dev' ? 7 : 90
    const functions = ofKind(plan, 'Function')
    expect(functions.length).toBe(3)
    for (const { name, inputs } of functions) {
      expect(inputs).toMatchObject({
        runtime: 'nodejs24.x',
        architectures: ['arm64'],
        handler: 'index.handler',
        loggingConfig: { logFormat: 'JSON' },
      })
      const group = inputsOf(plan, 'LogGroup', name.replace(/Function$/, 'LogGroup'))
      expect(group.retentionInDays).toBe(days)
      expect(`arn:aws:logs:us-east-1:123456789012:log-group:${group.name}`).toContain(logs.replace('*:*', ''))
    }
    expect(inputsOf(plan, 'Function', 'IndexerFunction').environment.variables).toEqual({
      FILES_BUCKET: `file-resolver-${stage}-filesbucketbucket-bdvfbzta`,
      FILES_TABLE: `file-resolver-${stage}-FilesTable-bdvfbzta`,
      SST_KEY: 'AAAA',
      SST_KEY_FILE: 'resource.enc',
      SST_RESOURCE_App: `{"name":"file-resolver","stage":"${stage}"}`,
    })
  })

  test('the resolver streams behind a public URL without CORS, for at most three minutes (I04)', () => {
    const url = inputsOf(plan, 'FunctionUrl', 'ResolverUrl')
    expect(url).toMatchObject({ authorizationType: 'NONE', invokeMode: 'RESPONSE_STREAM' })
    expect(url.cors).toBeUndefined()
    expect(ofKind(plan, 'FunctionUrl').length).toBe(1)
    const resolver = inputsOf(plan, 'Function', 'ResolverFunction')
    expect(resolver.timeout).toBe(180)
    expect(resolver.reservedConcurrentExecutions).toBeUndefined()
    expect(resolver.environment.variables).toEqual({
      FILES_BUCKET: `file-resolver-${stage}-filesbucketbucket-bdvfbzta`,
      FILES_TABLE: `file-resolver-${stage}-FilesTable-bdvfbzta`,
      BUCKETS_TABLE: `file-resolver-${stage}-BucketsTable-bdvfbzta`,
      TOKEN_ISSUER: 'https://host.example',
      TOKEN_AUDIENCE: 'file-resolver',
      HOST_JWKS_URL: 'https://host.example/jwks.json',
      METRICS_NAMESPACE: `file-resolver/${stage}`,
      RESPONSE_TIMEOUT_MS: '150000',
      SST_KEY: 'AAAA',
      SST_KEY_FILE: 'resource.enc',
      SST_RESOURCE_App: `{"name":"file-resolver","stage":"${stage}"}`,
    })
    const permissions = ofKind(plan, 'Permission').map(({ inputs }) => inputs)
    expect(permissions).toEqual([
      expect.objectContaining({ action: 'lambda:InvokeFunctionUrl', functionUrlAuthType: 'NONE' }),
      expect.objectContaining({ action: 'lambda:InvokeFunction', invokedViaFunctionUrl: true }),
    ])
  })

  test('the indexer takes ten events at a time, ten batches at once, and gives back what failed', () => {
    expect(ofKind(plan, 'EventSourceMapping').map(({ inputs }) => inputs)).toEqual([
      expect.objectContaining({
        eventSourceArn: queue,
        batchSize: 10,
        functionResponseTypes: ['ReportBatchItemFailures'],
        scalingConfig: { maximumConcurrency: 10 },
      }),
    ])
    expect(inputsOf(plan, 'Function', 'IndexerFunction').timeout).toBe(60)
  })

  test('the reconciler runs daily where a stage stays', () => {
    expect(inputsOf(plan, 'Schedule', 'ReconcileSchedule')).toMatchObject({
      scheduleExpression: 'rate(1 day)',
      state: stage === 'dev' ? 'DISABLED' : 'ENABLED',
      target: { retryPolicy: { maximumRetryAttempts: 2 } },
    })
    expect(inputsOf(plan, 'Function', 'ReconcilerFunction').timeout).toBe(900)
  })
})

test('what is set before deploying reaches the resolver', () => {
  const plan = planWith('dev', {
    RESERVED_CONCURRENCY: '20',
    RATE_LIMIT_PER_SECOND: '50',
    ALARM_EMAIL: 'x@y.example',
  })
  const resolver = inputsOf(plan, 'Function', 'ResolverFunction')
  expect(resolver.reservedConcurrentExecutions).toBe(20)
  expect(resolver.environment.variables.RATE_LIMIT_PER_SECOND).toBe('50')
})

test('without an issuer, or without keys, there is no deployment, and the variable is named', () => {
  expect(() => planWith('dev', { TOKEN_ISSUER: '' })).toThrow('Set TOKEN_ISSUER')
  expect(() => planWith('dev', { HOST_JWKS_URL: '' })).toThrow('HOST_JWKS')
})

test('every function that is built is deployed, as the very bytes that were built', async () => {
  const deployed = { indexer: 'Indexer', reconcile: 'Reconciler', resolver: 'Resolver' }
  expect(await functionNames()).toEqual(Object.keys(deployed))
  planWith('dev', {})
  for (const [name, component] of Object.entries(deployed)) {
    const zip = readFileSync(`.sst/artifacts/${component}/code.zip`)
    expect(unzipped(zip, 'index.mjs').equals(readFileSync(`dist/${name}/index.mjs`))).toBe(true)
  }
})

/** One entry of a zip file, found by way of its directory. */
function unzipped(zip: Buffer, name: string): Buffer {
  for (let at = zip.indexOf('PK\x01\x02'); at >= 0; at = zip.indexOf('PK\x01\x02', at + 4)) {
    const length = zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, at + 46 + length) !== name) continue
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)))
  }
  throw new Error(`no ${name} in the zip`)
}
