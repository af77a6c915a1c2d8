/**
 * Small reads, where the SDK is the cost: CPU against a bare route that makes the same three calls, and how much later
 * the first byte of a large read comes.
 */
import { newFileId, storeFile } from '../lib/store.ts'
import { interleave, type Sample, sample } from './client.ts'
import { startFixture } from './fixture.ts'
import { startServer } from './processes.ts'
import type { Result } from './report.ts'
import { ratioOf } from './stats.ts'
import { blob } from './texts.ts'

/** Measures, `rounds` times. */
export async function benchSmallReads(rounds: number): Promise<Result[]> {
  const fixture = await startFixture()
  const { environment, stores } = fixture
  const place = { workspaceId: 'acme', ownerId: 'ana', name: 'x.bin' }
  const small = await storeFile(stores, { ...place, fileId: newFileId() }, blob().subarray(0, 10_240))
  const large = await storeFile(stores, { ...place, fileId: newFileId() }, blob())
  const ours = await startServer('service', environment)
  const bare = await startServer('bare', environment)
  const readSmall = await fixture.read(small.fileId)
  const readLarge = await fixture.read(large.fileId)

  const cpu = await interleave(
    {
      ours: () => sample(ours, readSmall, 200, 13_000),
      bare: () => sample(bare, { path: `/acme/${small.fileId}` }, 200, 13_000),
    },
    rounds,
  )
  const first = await interleave(
    { small: () => sample(ours, readSmall, 20), large: () => sample(ours, readLarge, 20) },
    rounds,
  )
  for (const server of [ours, bare]) server.stop()
  fixture.stop()
  const cpuOf = (samples: readonly Sample[]) => samples.map(({ cpuUs }) => cpuUs)
  const firstOf = (samples: readonly Sample[]) => samples.map(({ firstMs }) => firstMs)
  return [
    { what: '10 KiB read: CPU ÷ bare route', figure: ratioOf(cpuOf(cpu.ours), cpuOf(cpu.bare)), most: 1.05 },
    {
      what: 'first byte: 10 MiB ÷ 10 KiB',
      figure: ratioOf(firstOf(first.large), firstOf(first.small)),
      most: 1.3,
    },
  ]
}
