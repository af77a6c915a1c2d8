/**
 * Clients that send a byte now and then, or keep a connection and send nothing: they are cut off, and meanwhile others
 * are served.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Connects, sends `begin`, then one byte of `drip` each second until it is cut off; resolves with the seconds it took. */
async function drip(begin: string, drop: string): Promise<number> {
  const { hostname, port } = new URL(service.url)
  const began = performance.now()
  const socket: Socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(begin)
  while (!socket.destroyed && performance.now() - began < 120_000) {
    if (socket.writable) socket.write(drop)
    await Promise.race([sleep(1_000), closed])
  }
  socket.destroy()
  return (performance.now() - began) / 1_000
}

const head = 'POST /rpc HTTP/1.1\r\nHost: x\r\n'
const dripping: [string, string, string][] = [
  ['a head', head, 'X'],
  ['a body of known length', `${head}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n`, ' '],
  [
    'a body of chunks',
    `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    '1\r\n \r\n',
  ],
]

test.concurrent.each(dripping)(
  'two hundred clients that drip %s are cut off, and others are served',
  async (_, begin, drop) => {
    const dripped = Promise.all(Array.from({ length: 200 }, () => drip(begin, drop)))
    let isOver = false
    const over = dripped.finally(() => {
      isOver = true
    })
    while (!isOver) {
      expect((await service.list()).body.result).toEqual({ resources: [] })
      await Promise.race([over, sleep(1_000)])
    }
    expect(Math.max(...(await dripped))).toBeLessThan(90)
  },
)
