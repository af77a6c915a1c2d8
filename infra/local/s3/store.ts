/**
 * The store: a state in memory, behind it a journal and the blobs. Every change goes through `commit`, which is
 * synchronous: whoever checks a condition and commits without awaiting in between has done both at one moment.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Blobs, diskBlobs, memoryBlobs } from './blobs.ts'
import type { Entry, Version } from './entries.ts'
import { S3Error } from './errors.ts'
import { openJournal, replay, rewrite } from './journal.ts'
import { applyEntry, type Bucket, describeState, emptyState, liveBlobs, type State } from './state.ts'

const idleLines = 1000

/** The state for reading, and the one way to change it. */
export interface Store {
  state: State
  blobs: Blobs
  commit(entry: Entry): void
  /** A number higher than every one before, also across restarts. */
  nextSequence(): number
  close(): void
}

/** Opens the store in a folder, or in memory when there is none. */
export async function openStore(dir: string | undefined, now: () => number): Promise<Store> {
  const state = emptyState()
  if (dir === undefined) return createStore(state, memoryBlobs(), now)
  mkdirSync(dir, { recursive: true })
  const blobs = diskBlobs(join(dir, 'blobs'))
  const path = join(dir, 'journal.jsonl')
  const lines = await replay(path, (entry) => void applyEntry(state, entry))
  const needed = [...describeState(state)].length
  if (lines > 2 * needed + idleLines) rewrite(path, describeState(state))
  const live = liveBlobs(state)
  await blobs.sweep((id) => live.has(id))
  return createStore(state, blobs, now, openJournal(path))
}

function createStore(
  state: State,
  blobs: Blobs,
  now: () => number,
  journal?: ReturnType<typeof openJournal>,
): Store {
  return {
    state,
    blobs,
    commit(entry) {
      journal?.append(entry)
      // A freed file that cannot be removed is swept at the next start.
      for (const blob of applyEntry(state, entry)) blobs.remove(blob).catch(() => {})
    },
    nextSequence() {
      state.sequence = Math.max(state.sequence + 1, Math.floor(now() * 1000))
      return state.sequence
    },
    close: () => journal?.close(),
  }
}

/** The bucket, or 404 NoSuchBucket. */
export function requireBucket(store: Store, name: string): Bucket {
  const bucket = store.state.buckets.get(name)
  if (bucket) return bucket
  throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist', {}, { BucketName: name })
}

/** The newest version of a key, which may be a delete marker. */
export function latest(bucket: Bucket, key: string): Version | undefined {
  return bucket.versions.get(key)?.at(-1)
}

/** A version id for a new version: random in a versioned bucket, `null` otherwise. */
export function newVersionId(bucket: Bucket): string {
  return bucket.settings.versioning === 'Enabled'
    ? randomBytes(24).toString('base64url').replaceAll('-', '.')
    : 'null'
}

/** The header that names a version, which S3 sends once a bucket's versioning has been set. */
export function versionHeader(bucket: Bucket, version: Version): Record<string, string> {
  return bucket.settings.versioning === undefined ? {} : { 'x-amz-version-id': version.versionId }
}
