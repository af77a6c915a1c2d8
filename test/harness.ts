/**
 * A whole service for a test: the local cloud in memory, its resources, the app on real clients and real sockets, and
 * tokens for anybody. Everything in a test that is not the subject of it comes from here.
 */
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { createDynamo, createResolver, createS3, createStores } from '../functions/wiring.ts'
import type { CloudOptions } from '../infra/local/cloud.ts'
import { createResources } from '../infra/local/resources.ts'
import type { FileStores } from '../lib/complete.ts'
import { type Config, parseConfig } from '../lib/config.ts'
import type { FileItem } from '../lib/file.ts'
import type { Log } from '../lib/log.ts'
import { createHttpServer } from '../lib/node.ts'
import { type NewFile, storeFile } from '../lib/store.ts'
import { createSigner, type Signer, signToken } from '../lib/token.ts'
import { resourceNames, startCloud } from './cloud.ts'
import type { Front } from './lambda/front.ts'

/** Who asks, by short names; workspace, user and server have defaults. */
export interface Who {
  workspace?: string
  user?: string
  server?: string
}

/** A JSON-RPC answer as it came. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, asserted on literally
  body: any
}

export interface Service {
  url: string
  config: Config
  stores: FileStores
  signer: Signer
  logs: Parameters<Log>[]
  environment: Record<string, string>
  token(who?: Who, ttlSec?: number): Promise<string>
  /** Sends one frame as the caller; `init` overrides parts of the request. */
  call(frame: unknown, who?: Who, init?: RequestInit): Promise<Answer>
  read(uri: string, who?: Who, headers?: Record<string, string>): Promise<Answer>
  list(filter?: unknown, who?: Who): Promise<Answer>
  /** Stores a file of workspace `acme`, owner `ana`, unless the input says otherwise. */
  put(bytes: string | Uint8Array, input?: Partial<NewFile>): Promise<FileItem>
  close(): Promise<void>
}

/**
 * Starts a service; `overrides` are environment variables, on top of an ample rate limit. Its bucket's events go to
 * `onEvent`, and nowhere without it.
 */
export async function startService(
  overrides: Record<string, string> = {},
  { onEvent }: Pick<CloudOptions, 'onEvent'> = {},
): Promise<Service> {
  const cloud = await startCloud({ onEvent })
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const kid = 'test-key'
  const environment: Record<string, string> = {
    ...cloud.environment,
    ...resourceNames(),
    HOST_JWKS: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }] }),
    TOKEN_ISSUER: 'https://host.test',
    TOKEN_AUDIENCE: 'file-resolver',
    RATE_LIMIT_PER_SECOND: '10000',
    RATE_LIMIT_BURST: '1000000',
    ...overrides,
  }
  Object.assign(process.env, environment)
  const config = parseConfig(environment)
  await createResources(createS3(environment), createDynamo(), config)
  const logs: Parameters<Log>[] = []
  const log: Log = (...line) => void logs.push(line)
  const stores = { ...createStores(config, environment), maxReadBytes: config.maxReadBytes }
  const front = await startFront(environment, config, log)
  const { url } = front
  const signer = await createSigner(
    { ...(await exportJWK(privateKey)), kid, alg: 'EdDSA' },
    config.issuer,
    config.audience,
  )

  const token = (who: Who = {}, ttlSec = 300) =>
    signToken(
      signer,
      { workspaceId: who.workspace ?? 'acme', userId: who.user ?? 'ana', serverId: who.server ?? 'reports' },
      ttlSec,
    )
  const call: Service['call'] = async (frame, who, init = {}) => {
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      body: typeof frame === 'string' ? frame : JSON.stringify(frame),
      ...init,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await token(who)}`,
        ...init.headers,
      },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    }
  }

  return {
    url,
    config,
    stores,
    signer,
    logs,
    environment,
    token,
    call,
    read: (uri, who, headers) =>
      call(
        { jsonrpc: '2.0', id: 1, method: 'ai.nimblebrain/resources/read', params: { uri } },
        who,
        headers ? { headers } : {},
      ),
    list: (filter, who) =>
      call(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'ai.nimblebrain/resources/list',
          ...(filter === undefined ? {} : { params: { _meta: { filter } } }),
        },
        who,
      ),
    put: (bytes, input = {}) =>
      storeFile(
        stores,
        { workspaceId: 'acme', ownerId: 'ana', name: 'file.txt', ...input },
        typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      ),
    async close() {
      await front.close()
      await cloud.close()
    },
  }
}

/** Node's server in this process, or with `FRONT=lambda` the production bundle in Lambda's runtime. */
async function startFront(environment: Record<string, string>, config: Config, log: Log): Promise<Front> {
  if (process.env.FRONT === 'lambda') {
    const { startLambdaFront } = await import('./lambda/front.ts')
    return startLambdaFront(environment, { log })
  }
  const server = createHttpServer(createResolver(config, environment, log), config, log)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
