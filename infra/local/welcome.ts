/**
 * What `npm run dev` prints when the service is ready: the files that the sample caller sees, and requests to paste.
 */
import type { JWK } from 'jose'
import * as z from 'zod'
import type { Config } from '../../lib/config.ts'
import { createSigner, signToken } from '../../lib/token.ts'
import { printable } from './printable.ts'
import { sampleCaller } from './samples.ts'

const ListAnswer = z.object({
  result: z.object({
    resources: z.array(
      z.object({ uri: z.string(), name: z.string(), mimeType: z.string(), size: z.number() }),
    ),
  }),
})

/** The text, made from what the service itself answers. */
export async function welcome(running: {
  url: string
  /** The flag by which the CLI finds this data folder, with a leading space, or empty. */
  dataOption: string
  signingKey: JWK
  config: Config
}): Promise<string> {
  const { url, dataOption, signingKey, config } = running
  const signer = await createSigner(signingKey, config.issuer, config.audience)
  const token = await signToken(signer, sampleCaller, 60)
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(frame('list')),
  })
  const answer = ListAnswer.safeParse(await response.json())
  if (!answer.success) {
    return `The file resolver listens at ${url} (Ctrl-C stops it). It does not answer this folder's own key: the environment names other keys, algorithms or times.`
  }
  const { resources } = answer.data.result
  const { workspaceId, userId, serverId } = sampleCaller
  const uri = resources.find(({ name }) => name === 'revenue.csv')?.uri ?? resources[0]?.uri
  const rows = [
    ['uri', 'name', 'type', 'bytes'],
    ...resources.map((r) => [r.uri, r.name, r.mimeType, String(r.size)]),
  ]
  return [
    `The file resolver listens at ${url} (Ctrl-C stops it).`,
    `  Console        ${url}/console`,
    `  API reference  ${url}/docs`,
    `  Guide          ${url}/guide/README.md`,
    '',
    `What user ${userId} of workspace ${workspaceId} sees:`,
    ...columns(rows).map((line) => `  ${line}`),
    '',
    'Paste into another terminal, in this folder (the token lives 5 minutes):',
    '',
    `  TOKEN=$(npm run --silent files -- token --workspace ${workspaceId} --user ${userId} --server ${serverId}${dataOption})`,
    '',
    `  ${curl(url, frame('list'))}`,
    `  ${curl(url, frame('list', { _meta: { filter: { tags: ['2026'] } } }))}`,
    ...(uri ? [`  ${curl(url, frame('read', { uri }))}`] : []),
    `  curl -s ${url}/capability`,
    '',
    `Store a file of your own:  npm run files -- put README.md --workspace ${workspaceId} --owner ${userId}${dataOption}`,
  ].join('\n')
}

function frame(method: 'read' | 'list', params?: object) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: `ai.nimblebrain/resources/${method}`,
    ...(params ? { params } : {}),
  }
}

function curl(url: string, body: object): string {
  return `curl -s ${url}/rpc -w '\\n' -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
}

/** Rows of cells as lines of aligned columns, whatever is in the cells. */
export function columns(table: readonly (readonly string[])[]): string[] {
  const rows = table.map((row) => row.map(printable))
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
