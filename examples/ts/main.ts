/**
 * `npm run example:ts`: a host and a server in TypeScript.
 */
import { fileURLToPath } from 'node:url'
import { runExample } from '../run.ts'

const server = fileURLToPath(new URL('./server.ts', import.meta.url))
await runExample({ command: process.execPath, args: ['--import', 'tsx', server] })
