/**
 * Small reads, where the SDK is the cost: CPU against a bare route that makes the same three calls, and how much later
 * the first byte of a large read comes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newFileId, storeFile } from '../lib/store.ts'
import { type Call, interleave, type Sample, sample } from './client.ts'
import { startFixture } from './fixture.ts'
import { type Server, startServer } from './processes.ts'
import { openReader } from './reader.ts'
import type { Result } from './report.ts'
import { figureOf, ratioOf } from './stats.ts'
import { blob } from './texts.ts'

/** The first byte of some calls, each after a rest: what the garbage of the call before costs is not this one's. */
async function firstByteRested(server: Server, call: Call): Promise<number> {
  const reader = openReader(server.port)
  const firstMs: number[] = []
  for (let i = 0; i < 9; i += 1) {
    await sleep(50)
    firstMs.push((await reader.read(call)).firstMs)
  }
  reader.close()
  return figureOf(firstMs).median
}

/** Measures, `rounds` times. */
export async function benchSmallReads(rounds: number): Promise<Result[]> {
  const fixture = await startFixture()
  const { environment, stores } = fixture
  const place = { workspaceId: 'acme', ownerId: 'ana', name: 'x.bin' }
  const smallFile = await storeFile(stores, { ...place, fileId: newFileId() }, blob().subarray(0, 10_240))
  const largeFile = await storeFile(stores, { ...place, fileId: newFileId() }, blob())
  const ours = await startServer('service', environment)
  const bare = await startServer('bare', environment)
  const readSmall = await fixture.read(smallFile.fileId)
  const readLarge = await fixture.read(largeFile.fileId)

  const cpu = await interleave(
    {
      ours: () => sample(ours, readSmall, 200, 13_000),
      bare: () => sample(bare, { path: `/acme/${smallFile.fileId}` }, 200, 13_000),
    },
    rounds,
  )
  const small: number[] = []
  const large: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    small.push(await firstByteRested(ours, readSmall))
    large.push(await firstByteRested(ours, readLarge))
  }
  for (const server of [ours, bare]) server.stop()
  fixture.stop()
  const cpuOf = (samples: readonly Sample[]) => samples.map(({ cpuUs }) => cpuUs)
  return [
    { what: '10 KiB read: CPU ÷ bare route', figure: ratioOf(cpuOf(cpu.ours), cpuOf(cpu.bare)), most: 1.05 },
    {
      what: 'first byte: 10 MiB ÷ 10 KiB',
      figure: ratioOf(large, small),
      most: 1.3,
    },
  ]
}
