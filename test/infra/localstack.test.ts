/**
 * What starts LocalStack agrees with the definitions that the deployed stacks are made of.
 */
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { resourcesScript, scriptPath } from '../../infra/localstack/script.ts'

const compose = readFileSync('docker-compose.yml', 'utf8')

test('the script that makes the resources is the one that the definitions give, and can be run', () => {
  expect(readFileSync(scriptPath, 'utf8')).toBe(resourcesScript())
  expect(statSync(scriptPath).mode & 0o111).not.toBe(0)
})

test('it makes the tables, the rules of the bucket and the notification that are deployed', () => {
  const script = readFileSync(scriptPath, 'utf8')
  expect(script).toContain('--key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE')
  expect(script).toContain('"Events": ["s3:ObjectCreated:*","s3:ObjectRemoved:*","s3:LifecycleExpiration:*"]')
  expect(script).toContain('"Name": "prefix", "Value": "files/"')
  expect(script).toContain('"VisibilityTimeout": "360"')
  expect(script).toContain('\\"maxReceiveCount\\":\\"5\\"')
})

test('the image is the last that needs no account, and only this machine reaches it (I10)', () => {
  expect(compose).toMatch(/image: localstack\/localstack:\$\{LOCALSTACK_VERSION:-4\.14\.0\}/)
  expect(compose).toMatch(/["']127\.0\.0\.1:4566:4566["']/)
  expect(compose).toContain('./infra/localstack/ready.d:/etc/localstack/init/ready.d:ro')
})
