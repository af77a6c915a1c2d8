/**
 * HTTP as bytes on a socket, for what no client would send.
 */
import { connect } from 'node:net'

/** What came back over one connection until the server closed it, as latin1 text. */
export function sendRaw(url: string, ...parts: (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
    })
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer within a minute')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

/** The status code of a raw answer. */
export function statusOf(answer: string): number {
  return Number(answer.split(' ')[1])
}
