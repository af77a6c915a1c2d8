/**
 * Storage that cannot be reached at all: a name that does not resolve, a port on which nobody listens.
 */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createResolver } from '../../functions/wiring.ts'
import { createHttpServer } from '../../lib/node.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
afterEach(() => service.close())

/** A label of more than 63 characters is in no DNS, and no server need be asked. */
const unresolvable = `http://${'x'.repeat(64)}.test`

async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

test.each([
  ['a name that does not resolve', async () => unresolvable],
  ['a closed port', closedPort],
])('%s is an outage for read and list, and no missing file', async (_, endpoint) => {
  service = await startService({ FIRST_BYTE_TIMEOUT_MS: '5000' })
  const { fileId } = await service.put('hello')
  const uri = `files://${fileId}`
  for (const storage of ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_DYNAMODB']) {
    const environment = { ...service.environment, [storage]: await endpoint() }
    Object.assign(process.env, environment)
    const server = createHttpServer(
      createResolver(service.config, environment, () => {}),
      service.config,
      () => {},
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = async (method: string, params: object) => {
      const answer = await fetch(`${url}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await service.token()}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: `ai.nimblebrain/resources/${method}`, params }),
      })
      return [answer.status, /"code":(-\d+)/.exec(await answer.text())?.[1]]
    }
    const isS3 = storage === 'AWS_ENDPOINT_URL_S3'
    expect(await send('read', { uri })).toEqual([503, '-32603'])
    expect(await send('list', {})).toEqual(isS3 ? [200, undefined] : [503, '-32603'])
    expect(await send('read', { uri: 'files://x' })).toEqual(isS3 ? [200, '-32002'] : [503, '-32603'])
    const ready = await (await fetch(`${url}/readyz`)).json()
    expect(ready).toEqual({
      status: 'unavailable',
      failing: isS3 ? ['bucket'] : ['files table', 'buckets table'],
    })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    Object.assign(process.env, service.environment)
  }
})
