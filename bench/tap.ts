/**
 * `npm run bench -- tap`: what compressing an answer, or sending raw bytes and encoding them in the host's adapter, would
 * save of the bytes and the seconds that Lambda's cap on streamed answers costs, and what CPU it would take.
 */
import { columns } from '../infra/local/welcome.ts'
import { tapSeconds } from './bill.ts'
import { type Codec, codecs } from './codecs.ts'
import { type Specimen, specimens } from './files.ts'
import type { Prices } from './prices.ts'
import { figureOf } from './stats.ts'

/** One way for one file. CPU is in milliseconds of this machine. */
export interface Passage {
  readonly file: string
  readonly sent: 'JSON' | 'raw'
  readonly codec: string
  readonly bytes: number
  readonly serviceMs: number
  readonly hostMs: number
  /** Until the last byte has left Lambda: the cap or the CPU, whichever takes longer. */
  readonly seconds: number
}

/** Measures all ways for all files. */
export function measurePassages(rounds: number, prices: Prices): Passage[] {
  return specimens().flatMap((file) =>
    (['JSON', 'raw'] as const).flatMap((sent) =>
      codecs.map((codec) => passage(file, sent, codec, rounds, prices)),
    ),
  )
}

function passage(
  file: Specimen,
  sent: 'JSON' | 'raw',
  codec: Codec,
  rounds: number,
  prices: Prices,
): Passage {
  const encode = (bytes: Buffer) => (sent === 'raw' ? bytes : encoded(file, bytes))
  const packed = codec.pack(encode(file.bytes))
  const cpu = (run: () => unknown) => figureOf(Array.from({ length: rounds }, () => cpuMs(run))).median
  const serviceMs = cpu(() => codec.pack(encode(file.bytes)))
  const hostMs = cpu(() => {
    const bytes = codec.unpack(packed)
    return sent === 'raw' ? encoded(file, bytes) : bytes
  })
  const cpuSeconds = serviceMs / 1_000 / prices.assumed.vcpus
  const seconds = Math.max(tapSeconds(packed.length, prices), cpuSeconds)
  return { file: file.name, sent, codec: codec.name, bytes: packed.length, serviceMs, hostMs, seconds }
}

/** The bytes as they stand in the answer's JSON. */
function encoded({ isText }: Specimen, bytes: Buffer): Buffer {
  if (!isText) return Buffer.from(bytes.toString('base64'), 'latin1')
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1')
}

function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The passages as a table. */
export function tapTable(passages: readonly Passage[]): string {
  const head = ['10 MiB of', 'sent as', 'packed', 'MB', 'CPU ms, service', 'CPU ms, host', 'seconds']
  const rows = passages.map((p) => [
    p.file,
    p.sent,
    p.codec,
    (p.bytes / 1e6).toFixed(2),
    p.serviceMs.toFixed(0),
    p.hostMs.toFixed(0),
    p.seconds.toFixed(2),
  ])
  return columns([head, ...rows]).join('\n')
}
