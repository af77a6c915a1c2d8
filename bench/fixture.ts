/**
 * What every bench starts from: a cloud, its resources, stores to fill it, and calls as a host sends them.
 */
import { exportJWK, generateKeyPair } from 'jose'
import { createDynamo, createS3, createStores } from '../functions/wiring.ts'
import { createResources } from '../infra/local/resources.ts'
import type { FileStores } from '../lib/complete.ts'
import { parseConfig } from '../lib/config.ts'
import { listMethod, readMethod } from '../lib/rpc.ts'
import { createSigner, signToken } from '../lib/token.ts'
import type { Call } from './client.ts'
import { startCloudProcess } from './processes.ts'

/** A filled place to measure in. */
export interface Fixture {
  readonly environment: Record<string, string>
  readonly stores: FileStores
  read(fileId: string, workspace?: string): Promise<Call>
  list(filter: object, workspace?: string): Promise<Call>
  /** Hears of each change of a file in the bucket, as a queue would. */
  onEvent(listener: (body: string) => void): void
  stop(): void
}

/** Starts it; `overrides` are environment variables of the service. */
export async function startFixture(overrides: Record<string, string> = {}): Promise<Fixture> {
  const cloud = await startCloudProcess()
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const environment = {
    ...cloud.environment,
    FILES_BUCKET: 'bench-files',
    FILES_TABLE: 'bench-files',
    BUCKETS_TABLE: 'bench-buckets',
    HOST_JWKS: JSON.stringify({ keys: [await exportJWK(publicKey)] }),
    TOKEN_ISSUER: 'bench',
    TOKEN_AUDIENCE: 'bench',
    RATE_LIMIT_PER_SECOND: '10000',
    RATE_LIMIT_BURST: '1000000',
    ...overrides,
  }
  Object.assign(process.env, environment)
  const config = parseConfig(environment)
  await createResources(createS3(environment), createDynamo(), config)
  const signer = await createSigner(await exportJWK(privateKey), 'bench', 'bench')

  async function call(method: string, params: object, workspaceId: string): Promise<Call> {
    const token = await signToken(signer, { workspaceId, userId: 'ana', serverId: 'bench' }, 900)
    return {
      path: '/rpc',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }
  }

  return {
    environment,
    stores: { ...createStores(config, environment), maxReadBytes: config.maxReadBytes },
    read: (fileId, workspace = 'acme') => call(readMethod, { uri: `files://${fileId}` }, workspace),
    list: (filter, workspace = 'acme') => call(listMethod, { _meta: { filter } }, workspace),
    onEvent: (listener) => cloud.onEvent(listener),
    stop: () => cloud.stop(),
  }
}
