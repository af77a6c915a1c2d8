/** A test server over stdio: `stdio-server.ts <generation> [largest message in bytes]`. */
import { StdioServerTransport as Stdio1 } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StdioServerTransport as Stdio2 } from '@modelcontextprotocol/server/stdio'
import { serve1, serve2 } from './servers.ts'

const [, , generation, maxBufferSize] = process.argv
const options = maxBufferSize ? { maxBufferSize: Number(maxBufferSize) } : {}
if (generation === '1') await serve1(new Stdio1(undefined, undefined, options))
else await serve2(new Stdio2(undefined, undefined, options))
