/**
 * Reads: how close to a pass-through of the same output bytes, and how far ahead of the handler that people write first.
 */
import { newFileId, storeFile } from '../lib/store.ts'
import { interleave, type Sample, sample, sampleAtOnce } from './client.ts'
import { startFixture } from './fixture.ts'
import { startServer } from './processes.ts'
import type { Result } from './report.ts'
import { ratioOf } from './stats.ts'
import { blob, texts } from './texts.ts'

/** The least throughput against raw that each kind has to reach. */
const reach: Readonly<Record<string, number>> = {
  blob: 0.95,
  prose: 0.8,
  CSV: 0.8,
  Cyrillic: 0.8,
  'dense JSON': 0.7,
  'control characters': 0.45,
}

/** Readers at once where the naive handler is compared with: its cost is the memory of many. */
const crowd = 16

/** Measures all kinds, `rounds` times each. */
export async function benchReads(rounds: number): Promise<Result[]> {
  const fixture = await startFixture()
  const { environment, stores } = fixture
  const ours = await startServer('service', environment)
  const raw = await startServer('raw', environment)
  const naive = await startServer('naive', environment)
  const results: Result[] = []

  for (const [kind, make] of Object.entries({ blob, ...texts })) {
    const fileId = newFileId()
    const name = kind === 'blob' ? 'x.bin' : 'x.txt'
    const bytes = make()
    const { objectKey } = await storeFile(
      stores,
      { workspaceId: 'acme', ownerId: 'ana', name, fileId },
      bytes,
    )
    const read = await fixture.read(fileId)
    const output = Buffer.from(
      await (
        await fetch(`http://127.0.0.1:${ours.port}${read.path}`, { method: 'POST', ...read })
      ).arrayBuffer(),
    )
    await stores.objects.put(`raw/${fileId}`, output, {
      size: output.length,
      contentType: 'application/json',
    })

    const readRaw = { path: `/raw/${fileId}` }
    const readNaive = { path: `/${kind === 'blob' ? 'blob' : 'text'}/${objectKey}` }
    const single = await interleave(
      {
        ours: () => sample(ours, read, 4, output.length),
        raw: () => sample(raw, readRaw, 4, output.length),
      },
      rounds,
    )
    const many = await interleave(
      {
        ours: () => sampleAtOnce(ours, read, crowd, output.length),
        raw: () => sampleAtOnce(raw, readRaw, crowd, output.length),
        naive: () => sampleAtOnce(naive, readNaive, crowd, bytes.length),
      },
      rounds,
    )
    const least = reach[kind] ?? 0
    results.push(
      {
        what: `10 MiB ${kind}: throughput ÷ raw`,
        figure: ratioOf(times(single.raw), times(single.ours)),
        least,
      },
      {
        what: `10 MiB ${kind}: CPU ÷ raw`,
        figure: ratioOf(cpu(single.ours), cpu(single.raw)),
        ...(kind === 'blob' ? { most: 1.1 } : {}),
      },
      {
        what: `10 MiB ${kind}, ${crowd} at once: throughput ÷ naive`,
        figure: ratioOf(times(many.naive), times(many.ours)),
        least: 3,
      },
      {
        what: `10 MiB ${kind}, ${crowd} at once: CPU ÷ naive`,
        figure: ratioOf(cpu(many.ours), cpu(many.naive)),
        most: 0.35,
      },
      {
        what: `… and raw: throughput ÷ naive`,
        figure: ratioOf(times(many.naive), times(many.raw)),
      },
      { what: `… and raw: CPU ÷ naive`, figure: ratioOf(cpu(many.raw), cpu(many.naive)) },
    )
  }
  for (const server of [ours, raw, naive]) server.stop()
  fixture.stop()
  return results
}

const times = (samples: readonly Sample[]) => samples.map(({ ms }) => ms)
const cpu = (samples: readonly Sample[]) => samples.map(({ cpuUs }) => cpuUs)
