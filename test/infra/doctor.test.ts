/**
 * `files doctor`, on a service that is well and on every ailment that it knows.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDynamo, createS3 } from '../../functions/wiring.ts'
import { examine, type Finding } from '../../infra/cli/finding.ts'
import { clock, examineKeys, examineResolver } from '../../infra/cli/service.ts'
import { examineBucket, examineTable } from '../../infra/cli/stores.ts'
import { bucketsTable, filesTable } from '../../infra/definitions.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const s3 = () => createS3(service.environment)
const details = (findings: Finding[]) => findings.map(({ ok, detail }) => [ok, detail])

test('a service that is well', async () => {
  const warn = vi.spyOn(console, 'warn')
  expect(details(await examineBucket(s3(), 'files-bucket'))).toEqual([
    [true, 'versioned'],
    [true, 'allowed'],
    [true, 'allowed'],
    [true, 'allowed'],
  ])
  for (const [table, variable, definition] of [
    ['files', 'FILES_TABLE', filesTable],
    ['buckets', 'BUCKETS_TABLE', bucketsTable],
  ] as const) {
    expect(details(await examineTable(createDynamo(), table, variable, definition))).toEqual([
      [true, 'active, TTL on'],
      [true, 'allowed'],
      [true, 'allowed'],
    ])
  }
  expect(details(await examineKeys(service.environment))).toEqual([[true, '1 public, OKP']])
  const resolver = await examineResolver(service.url, () => service.token())
  expect(resolver.map(({ ok }) => ok)).toEqual([true, true, true])
  expect(warn).not.toHaveBeenCalled()
})

test('it leaves nothing behind', async () => {
  await examineBucket(s3(), 'files-bucket')
  await examineTable(createDynamo(), 'files', 'FILES_TABLE', filesTable)
  expect((await service.list()).body.result.resources).toEqual([])
  expect(await service.stores.objects.head('files/doctor/doctor/fl_000000000000000000000000')).toBeUndefined()
})

test('a bucket without versions, and one that is not there', async () => {
  await s3().send(new CreateBucketCommand({ Bucket: 'unversioned' }))
  expect((await examineBucket(s3(), 'unversioned'))[0]).toMatchObject({
    ok: false,
    detail: 'it keeps no versions',
  })
  for (const finding of await examineBucket(s3(), 'nowhere')) {
    expect(finding).toMatchObject({
      ok: false,
      detail: 'it does not exist',
      remedy: 'Deploy it, or correct FILES_BUCKET or AWS_REGION.',
    })
  }
})

test('a table with other keys, one without TTL, and one that is not there', async () => {
  const dynamo = createDynamo()
  const create = (TableName: string, key: string) =>
    dynamo.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      }),
    )
  await create('other-keys', 'id')
  await create('no-ttl', 'pk')
  const [otherKeys] = await examineTable(dynamo, 'other-keys', 'FILES_TABLE', filesTable)
  expect(otherKeys).toMatchObject({ ok: false, detail: 'its keys are id' })
  const [noTtl] = await examineTable(dynamo, 'no-ttl', 'BUCKETS_TABLE', bucketsTable)
  expect(noTtl).toMatchObject({ ok: false, detail: 'its TTL is off' })
  const nowhere = await examineTable(dynamo, 'nowhere', 'FILES_TABLE', filesTable)
  expect(nowhere.map(({ detail }) => detail)).toEqual([
    'it does not exist',
    'it does not exist',
    'it does not exist',
  ])
})

describe('failures become sentences', () => {
  test.each([
    [
      'AccessDeniedException',
      undefined,
      's3:GetObject is denied',
      'Give these credentials the right s3:GetObject.',
    ],
    [
      'CredentialsProviderError',
      undefined,
      'no AWS credentials',
      'Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ],
    [
      'RequestTimeTooSkewed',
      undefined,
      'the signature is refused (RequestTimeTooSkewed)',
      'Set this machine’s clock, then check the secret key.',
    ],
    [
      'Error',
      'ECONNREFUSED',
      'nothing answers (ECONNREFUSED)',
      'Check the network, AWS_REGION and AWS_ENDPOINT_URL.',
    ],
  ])('%s %s', async (name, code, detail, remedy) => {
    const need = { check: 'bucket', action: 's3:GetObject', variable: 'FILES_BUCKET' }
    const found = await examine(need, () => {
      throw Object.assign(new Error('x'), { name }, code === undefined ? {} : { code })
    })
    expect(found).toEqual({ check: 'bucket', ok: false, detail, remedy })
  })
})

test('a resolver that does not answer, and a token that it refuses', async () => {
  const [away] = await examineResolver('http://127.0.0.1:1', () => service.token())
  expect(away).toMatchObject({ ok: false, remedy: 'Start it, or correct FILE_RESOLVER_URL.' })
  const [, , refused] = await examineResolver(service.url, async () => 'forged')
  expect(refused).toMatchObject({ check: 'token', ok: false, detail: 'the resolver refuses it' })
  const [, , none] = await examineResolver(service.url, () => Promise.reject(new Error('no token')))
  expect(none).toMatchObject({ check: 'token', ok: false, detail: 'no token' })
})

test.each([
  ['404 and JSON', 404, '{"error":"not found"}'],
  ['503 and no list of what fails', 503, '{}'],
  ['a page', 200, '<p>Sign in</p>'],
  ['some other JSON', 200, '[]'],
])('another service in its place, which answers everything with %s', async (_, status, body) => {
  const other = createServer((_request, response) => void response.writeHead(status).end(body))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  expect(details(await examineResolver(`http://127.0.0.1:${port}`, () => service.token()))).toEqual([
    [false, 'what answers is no resolver'],
  ])
  other.closeAllConnections()
  other.close()
})

test('a page in place of the answer to a call', async () => {
  const other = createServer((request, response) => {
    response.end(request.method === 'GET' ? '{"status":"ok"}' : '<p>Sign in</p>')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const [, , token] = await examineResolver(`http://127.0.0.1:${port}`, () => service.token())
  expect(token).toMatchObject({ check: 'token', ok: false, detail: 'the resolver answers 200' })
  other.closeAllConnections()
  other.close()
})

test.each([
  ['Tue, 01 Dec 2026 00:00:00 GMT', true, 'agrees with the resolver’s, to 1 s'],
  ['Tue, 01 Dec 2026 00:00:29 GMT', true, 'agrees with the resolver’s, to 29 s'],
  ['Tue, 01 Dec 2026 00:00:30 GMT', false, 'differs by 30 s from the resolver’s'],
  ['Mon, 30 Nov 2026 23:00:00 GMT', false, 'differs by 3600 s from the resolver’s'],
  [null, true, 'the resolver tells no time'],
])('the clock at midnight, beside %s', (date, ok, detail) => {
  expect(clock(date, 1_796_083_200_000)).toMatchObject({ ok, detail })
})

test.each([
  ['{"keys":[]}', 'no key set (it is no JSON Web Key Set)'],
  ['x', 'no key set (it is no JSON Web Key Set)'],
  ['{"keys":[{"kty":"OKP","d":"secret"}]}', 'the set holds a private key'],
  ['{"keys":[{"kty":"oct","k":"secret"}]}', 'the set holds a private key'],
  ['{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qY"}]}', 'key 1 is no valid Ed25519 key'],
])('keys %s', async (HOST_JWKS, detail) => {
  expect(details(await examineKeys({ HOST_JWKS }))).toEqual([[false, detail]])
})
