/**
 * `npm run test:moto`: the live tests against moto's server from PyPI, where no Docker engine runs. Makes the Python
 * environment on first use, in the folder that git ignores.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const folder = '.local/moto'
const endpoint = 'http://127.0.0.1:4567'

if (!existsSync(`${folder}/bin/moto_server`)) {
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' })
  execFileSync(`${folder}/bin/pip`, ['install', '--quiet', 'moto[server]==5.2.5'], { stdio: 'inherit' })
}
const server = spawn(`${folder}/bin/moto_server`, ['-H', '127.0.0.1', '-p', '4567'], { stdio: 'ignore' })
const { status } = await untilItAnswers()
  .then(() =>
    spawnSync('npm', ['run', 'test:live'], {
      stdio: 'inherit',
      env: { ...process.env, AWS_ENDPOINT_URL: endpoint, LIVE_TARGET: 'moto' },
    }),
  )
  .finally(() => server.kill())
process.exit(status ?? 1)

async function untilItAnswers(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(endpoint).catch(() => undefined)
    if (answer) return
    await sleep(200)
  }
  throw new Error('moto_server did not start within 20 s')
}
