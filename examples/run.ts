/**
 * One example: a service, a host, and a server program over both transports.
 */
import { httpCeilings, stdioCeilings } from 'file-resolver-host/ceilings'
import { createHost } from './host.ts'
import { startService } from './service.ts'
import { tour } from './tour.ts'
import { overHttp, overStdio, type Program } from './transports.ts'

/** Runs the tour with a server program. */
export async function runExample(program: Program): Promise<void> {
  const service = await startService()
  try {
    const connect = createHost(service.url, service.signingKey)

    const stdio = await connect('acme', 'summaries', overStdio(program), stdioCeilings)
    await tour('stdio', stdio)
    await stdio.close()

    const { transport, stop } = await overHttp(program)
    const http = await connect('acme', 'summaries', transport, httpCeilings)
    await tour('http ', http)
    await http.close()
    stop()
  } finally {
    await service.stop()
  }
}
