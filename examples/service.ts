/**
 * A file resolver for an example: `npm run dev` on a folder of its own, with its sample files and its signing key.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { JWK } from 'jose'

/** A running service. */
export interface ExampleService {
  readonly url: string
  /** The private key that the service trusts; a real host keeps it in its secret store. */
  readonly signingKey: JWK
  stop(): Promise<void>
}

/** What the dev service is configured with. */
export const issuer = 'http://localhost/host'
export const audience = 'file-resolver'

/** Starts the service; files `fl_…1` to `fl_…6` of workspace `acme` are there. */
export async function startService(): Promise<ExampleService> {
  const data = await mkdtemp(join(tmpdir(), 'file-resolver-example-'))
  const dev = fileURLToPath(new URL('../infra/local/dev.ts', import.meta.url))
  const args = ['--import', 'tsx', dev, '--json', '--port', '0', '--data', data]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const started = once(createInterface(child.stdout), 'line')
  const [line] = await Promise.race([started, exited.then(() => Promise.reject(new Error('no service')))])
  return {
    url: JSON.parse(String(line)).url,
    signingKey: JSON.parse(await readFile(join(data, 'signing-key.json'), 'utf8')),
    async stop() {
      child.kill('SIGTERM')
      await exited
      await rm(data, { recursive: true, force: true })
    },
  }
}
