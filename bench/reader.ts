/**
 * A reader that costs next to nothing, so that a large answer takes the time that its server takes: one kept-alive
 * socket, one buffer for all that comes, and no parser. The end is known by the mark of the last chunk or by the length.
 */
import { connect, type Socket } from 'node:net'
import type { Call, Timing } from './client.ts'

const lastChunk = '\r\n0\r\n\r\n'

/** Reads the answers of one server, one after the other. */
export interface Reader {
  /** Sends the call and reads the whole answer, head and framing included in its bytes. */
  read(call: Call): Promise<Timing>
  close(): void
}

/** Connects to the port. */
export function openReader(port: number): Reader {
  let onData: (bytes: Buffer) => void = () => {}
  let fail: (error: Error) => void = () => {}
  const buffer = Buffer.allocUnsafe(1_048_576)
  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer,
      callback(length) {
        onData(buffer.subarray(0, length))
        return true
      },
    },
  })
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail(new Error('The server closed the connection')))

  return {
    read: (call) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) throw new Error('The connection has been closed')
        fail = reject
        const began = performance.now()
        let firstMs = 0
        let bytes = 0
        let status = 0
        let length: number | undefined
        let tail = ''
        onData = (chunk) => {
          if (firstMs === 0) {
            firstMs = performance.now() - began
            const head = chunk.toString('latin1', 0, Math.max(0, chunk.indexOf('\r\n\r\n')) + 4)
            status = Number(head.slice(9, 12))
            const declared = /^content-length: (\d+)/im.exec(head)?.[1]
            length = declared === undefined ? undefined : head.length + Number(declared)
          }
          bytes += chunk.length
          tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - lastChunk.length))).slice(
            -lastChunk.length,
          )
          if (length === undefined ? tail === lastChunk : bytes >= length) {
            resolve({ status, firstMs, totalMs: performance.now() - began, bytes })
          }
        }
        socket.write(requestOf(call))
      }),
    close: () => socket.destroy(),
  }
}

function requestOf({ path, headers = {}, body }: Call): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'bench', ...headers, ...length }).map((pair) => pair.join(': '))
  return `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
