/**
 * Indexing: files a second from an S3 put to listed, through event, queue and indexer, against putting the same objects
 * and writing an item with its rows for each in one transaction. Hosts put; the indexer has a process of its own.
 */
import pMap from 'p-map'
import type { FileItem } from '../lib/file.ts'
import { objectKey } from '../lib/keys.ts'
import { newFileId } from '../lib/store.ts'
import { fileOf } from './fill.ts'
import { type Fixture, startFixture } from './fixture.ts'
import { type IndexerProcess, startIndexer } from './processes.ts'
import type { Result } from './report.ts'
import { figureOf, ratioOf } from './stats.ts'

const files = 400
const concurrency = 16
const kinds = {
  'small blob': { name: 'x.bin', bytes: Buffer.alloc(1_024, 255) },
  'small text': { name: 'x.txt', bytes: Buffer.from('Nothing to see here.\n'.repeat(48)) },
}

/** Measures both kinds of file, `rounds` times each. */
export async function benchIndexing(rounds: number): Promise<Result[]> {
  const fixture = await startFixture()
  const indexer = await startIndexer(fixture.environment)
  fixture.onEvent((body) => indexer.send(body))
  const results: Result[] = []
  for (const [kind, file] of Object.entries(kinds)) {
    const ours: number[] = []
    const raw: number[] = []
    for (let round = -1; round < rounds; round += 1) {
      const turns = [
        async () => ours.push(await throughIndexer(fixture, indexer, file)),
        async () => raw.push(await byHand(fixture, file)),
      ]
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
    }
    const perSecond = ours.slice(1).map((ms) => (files * 1_000) / ms)
    results.push(
      {
        what: `${kind}: indexed ÷ put and written by hand`,
        figure: ratioOf(raw.slice(1), ours.slice(1)),
        least: kind === 'small blob' ? 0.5 : 0.4,
      },
      { what: `${kind}: indexed a second`, figure: figureOf(perSecond) },
    )
  }
  indexer.stop()
  fixture.stop()
  return results
}

type Kind = (typeof kinds)[keyof typeof kinds]

/** Milliseconds until the last of the files was listed. */
async function throughIndexer(
  { stores }: Fixture,
  indexer: IndexerProcess,
  { name, bytes }: Kind,
): Promise<number> {
  const began = performance.now()
  const indexed = indexer.indexed(files)
  await each(async () => {
    const key = objectKey({ workspaceId: 'acme', ownerId: 'ana', fileId: newFileId(), name })
    await stores.objects.put(key, bytes, { size: bytes.length, contentType: undefined })
  })
  await indexed
  return performance.now() - began
}

async function byHand({ stores }: Fixture, { name, bytes }: Kind): Promise<number> {
  const began = performance.now()
  await each(async (i) => {
    const file: FileItem = { ...fileOf('by-hand', i, []), fileId: newFileId(), name }
    // outside `files/`, so that no event of it is of interest
    await stores.objects.put(`raw/${file.fileId}`, bytes, { size: bytes.length, contentType: undefined })
    await stores.files.write(undefined, file)
  })
  return performance.now() - began
}

function each(put: (i: number) => Promise<void>): Promise<unknown> {
  return pMap(Array.from({ length: files }).keys(), put, { concurrency })
}
