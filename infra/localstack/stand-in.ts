/**
 * `npm run test:moto` and `npm run test:localstack`: the live tests against a stand-in for AWS from PyPI, where no Docker
 * engine runs. Makes the Python environment on first use, in the folder that git ignores.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const standIns = {
  moto: {
    packages: ['moto[server]==5.2.5'],
    program: 'moto_server',
    args: ['-H', '127.0.0.1', '-p', '4567'],
    endpoint: 'http://127.0.0.1:4567',
    tests: [],
  },
  // S3 and SQS only: its DynamoDB is a Java program from the internet. The last line that runs on Python 3.11, with the
  // packages of its time (newer ones lack what it imports)
  localstack: {
    packages: [
      'localstack-core[base-runtime]==4.3.0',
      'moto-ext[all]==5.1.1.post1',
      'cbor2==5.7.1',
      'cryptography==43.0.3',
      'pyopenssl==24.2.1',
      'service-identity==24.2.0',
    ],
    program: 'python',
    args: ['-m', 'localstack.runtime.main'],
    endpoint: 'http://127.0.0.1:4568',
    tests: ['test/live/s3.live.test.ts', 'test/live/events.live.test.ts'],
  },
}

const name = process.argv[2] === 'localstack' ? 'localstack' : 'moto'
const { packages, program, args, endpoint, tests } = standIns[name]
const folder = resolve('.local', name)

if (!existsSync(`${folder}/installed`)) {
  execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' })
  const [first = '', ...rest] = packages
  execFileSync(`${folder}/bin/pip`, ['install', '--quiet', first], { stdio: 'inherit' })
  if (rest.length > 0) {
    execFileSync(`${folder}/bin/pip`, ['install', '--quiet', ...rest], { stdio: 'inherit' })
  }
  execFileSync('touch', [`${folder}/installed`])
}

const server = spawn(`${folder}/bin/${program}`, args, {
  stdio: 'ignore',
  env: {
    ...process.env,
    HOME: folder,
    GATEWAY_LISTEN: new URL(endpoint).host,
    SERVICES: 's3,sqs',
    FILESYSTEM_ROOT: `${folder}/files`,
    DNS_ADDRESS: '0',
    DISABLE_EVENTS: '1',
    SKIP_SSL_CERT_DOWNLOAD: '1',
  },
})
const { status } = await untilItAnswers()
  .then(() =>
    spawnSync('npm', ['run', 'test:live', '--', ...tests], {
      stdio: 'inherit',
      env: { ...process.env, AWS_ENDPOINT_URL: endpoint, LIVE_TARGET: name },
    }),
  )
  .finally(() => server.kill())
process.exit(status ?? 1)

async function untilItAnswers(): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(endpoint).catch(() => undefined)
    if (answer) return
    await sleep(200)
  }
  throw new Error(`${name} did not start within a minute`)
}
