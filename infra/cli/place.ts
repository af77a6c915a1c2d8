/**
 * Where the CLI works: the dev cloud that runs on the data folder, else whatever the environment names.
 */
import { resolve } from 'node:path'
import { createIndexStores, createUploadSigner } from '../../functions/stores.ts'
import { acceptCaller } from '../../lib/accept.ts'
import type { Caller } from '../../lib/access.ts'
import { parseStoreConfig } from '../../lib/config.ts'
import { createSigner, signToken } from '../../lib/token.ts'
import type { Presign } from '../../lib/upload.ts'
import type { ReconcileStores } from '../../lib/work.ts'
import { type Descriptor, findDescriptor, foreignVariables } from '../local/descriptor.ts'
import { printable } from '../local/printable.ts'
import { openSigningKey } from '../local/signing.ts'

/** The stores to write to, and a way to ask the resolver as somebody. */
export interface Place {
  stores(): ReconcileStores
  uploadSigner(): Presign
  token(caller: Caller, ttlSec: number): Promise<string>
  resolverUrl(): string
}

const remedy = (data: string) =>
  `No dev service runs on the folder "${data}". Start one with "npm run dev", name its folder with --data`

/** The place that `--data` names, if a dev cloud runs there, else the environment's. */
export async function findPlace(data: string): Promise<Place> {
  const dir = resolve(data)
  const running = await findDescriptor(dir)
  if (running) warnOfOther(running, data)
  if (running) Object.assign(process.env, running.environment)
  if (running && !process.env.AWS_ENDPOINT_URL) for (const name of foreignVariables) delete process.env[name]

  function storeConfig() {
    if (running || process.env.FILES_BUCKET) return parseStoreConfig(process.env)
    throw new Error(`${remedy(data)}, or set FILES_BUCKET and FILES_TABLE (and the AWS SDK's own variables).`)
  }

  return {
    stores: () => createIndexStores(storeConfig(), process.env),
    uploadSigner: () => createUploadSigner(storeConfig(), process.env),
    async token(caller, ttlSec) {
      if (!running) {
        if (process.env.FILE_RESOLVER_TOKEN) return process.env.FILE_RESOLVER_TOKEN
        throw new Error(`${remedy(data)}, or set FILE_RESOLVER_TOKEN to a token that your host signed.`)
      }
      const { TOKEN_ISSUER = '', TOKEN_AUDIENCE = '' } = running.environment
      return signToken(
        await createSigner(await openSigningKey(dir), TOKEN_ISSUER, TOKEN_AUDIENCE),
        acceptCaller(caller),
        ttlSec,
      )
    },
    resolverUrl() {
      const url = running?.url ?? process.env.FILE_RESOLVER_URL
      if (url) return url
      throw new Error(`${remedy(data)}, or set FILE_RESOLVER_URL.`)
    },
  }
}

/** An operator whose environment names a deployed service must not take the dev service's answers for its. */
function warnOfOther({ environment, url }: Descriptor, data: string): void {
  const named: Record<string, string> = { ...environment, FILE_RESOLVER_URL: url }
  const other = ['FILES_BUCKET', 'FILES_TABLE', 'FILE_RESOLVER_URL'].filter((name) => {
    const value = process.env[name]
    return value && value !== named[name]
  })
  if (other.length === 0) return
  console.error(
    `note: working on the dev service of ${printable(data)}, whatever ${other.join(' and ')} may say; to work elsewhere, stop it or name another --data.`,
  )
}
