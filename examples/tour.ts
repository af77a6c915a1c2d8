/**
 * What both examples do with a connected server: a file by reference, the same inline, and a file that is not for this
 * user.
 */
import type { Connection } from './host.ts'

const revenue = 'files://fl_000000000000000000000002' // revenue.csv, shared in the workspace
const salaries = 'files://fl_000000000000000000000005' // salaries.csv, private to ben
const contract = 'files://fl_000000000000000000000003' // contract.pdf, private to ana

/** Calls the server's `summarize` tool and prints each answer. */
export async function tour(name: string, server: Connection): Promise<void> {
  const calls = [
    ['ana', { file_uri: revenue }],
    ['ana', { text: 'region,revenue\nnorth,1200\n' }],
    ['ana', { file_uri: contract }],
    ['ana', { file_uri: salaries }],
    ['ben', { file_uri: salaries }],
  ] as const
  for (const [user, args] of calls) {
    console.log(`${name}  ${user} ${JSON.stringify(args)}`)
    console.log(`${' '.repeat(name.length)}  → ${await server.callTool(user, 'summarize', args)}`)
  }
}
