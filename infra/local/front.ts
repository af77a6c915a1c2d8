/**
 * Puts the console in front of the resolver's own server: requests under the console's paths go to its app, all others
 * reach the resolver through the very front that runs without a console.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { consolePaths } from '../console/app.ts'

/** Lets the console answer its paths on the server. */
export function addConsole(server: Server, app: Hono): void {
  const answer = getRequestListener(app.fetch)
  const resolver = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const [, first = ''] = (req.url ?? '').split(/[/?]/)
    if (consolePaths.includes(first)) void answer(req, res)
    else for (const listener of resolver) listener.call(server, req, res)
  })
}
