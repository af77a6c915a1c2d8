/**
 * What the store knows, as a fold over journal entries: the same function applies a change now and after a restart.
 */
import { type Entry, type Part, type Setting, settings, type Upload, type Version } from './entries.ts'
import { createKeyIndex, type KeyIndex } from './keys.ts'

/** A bucket; `versions` has each key's versions, oldest first, and never an empty list. */
export interface Bucket {
  name: string
  createdMs: number
  settings: Partial<Record<Setting, string>>
  versions: Map<string, Version[]>
  keys: KeyIndex
}

/** An upload in progress with its parts by number. */
export interface OpenUpload {
  upload: Upload
  parts: Map<number, Part>
}

/** All buckets and uploads, and the highest sequence number given out. */
export interface State {
  buckets: Map<string, Bucket>
  uploads: Map<string, OpenUpload>
  sequence: number
}

/** A state without buckets. */
export function emptyState(): State {
  return { buckets: new Map(), uploads: new Map(), sequence: 0 }
}

/** Applies one change and returns the blobs that it freed; what names something unknown changes nothing. */
export function applyEntry(state: State, entry: Entry): string[] {
  switch (entry.op) {
    case 'bucket':
      state.buckets.set(entry.name, {
        name: entry.name,
        createdMs: entry.createdMs,
        settings: {},
        versions: new Map(),
        keys: createKeyIndex(),
      })
      return []
    case 'unbucket':
      state.buckets.delete(entry.name)
      return []
    case 'setting': {
      const bucket = state.buckets.get(entry.bucket)
      if (bucket && entry.value === undefined) delete bucket.settings[entry.name]
      else if (bucket && entry.value !== undefined) bucket.settings[entry.name] = entry.value
      return []
    }
    case 'put': {
      state.sequence = Math.max(state.sequence, entry.version.sequence)
      const replaced = putVersion(state.buckets.get(entry.bucket), entry.version)
      return entry.upload === undefined ? replaced : [...replaced, ...endUpload(state, entry.upload)]
    }
    case 'drop':
      return dropVersion(state.buckets.get(entry.bucket), entry.key, entry.versionId)
    case 'upload':
      state.uploads.set(entry.upload.id, { upload: entry.upload, parts: new Map() })
      return []
    case 'part': {
      const parts = state.uploads.get(entry.upload)?.parts
      const replaced = parts?.get(entry.part.number)
      parts?.set(entry.part.number, entry.part)
      return replaced ? [replaced.blob] : []
    }
    case 'abort':
      return endUpload(state, entry.upload)
  }
}

/** The entries that lead from nothing to this state: what compaction writes. */
export function* describeState(state: State): Generator<Entry> {
  for (const bucket of state.buckets.values()) {
    yield { op: 'bucket', name: bucket.name, createdMs: bucket.createdMs }
    for (const name of settings) {
      const value = bucket.settings[name]
      if (value !== undefined) yield { op: 'setting', bucket: bucket.name, name, value }
    }
    for (const versions of bucket.versions.values()) {
      for (const version of versions) yield { op: 'put', bucket: bucket.name, version }
    }
  }
  for (const { upload, parts } of state.uploads.values()) {
    yield { op: 'upload', upload }
    for (const part of parts.values()) yield { op: 'part', upload: upload.id, part }
  }
}

/** Every blob that the state names. */
export function liveBlobs(state: State): Set<string> {
  const live = new Set<string>()
  for (const entry of describeState(state)) {
    if (entry.op === 'part') live.add(entry.part.blob)
    if (entry.op === 'put' && entry.version.blob !== undefined) live.add(entry.version.blob)
  }
  return live
}

function putVersion(bucket: Bucket | undefined, version: Version): string[] {
  if (!bucket) return []
  const freed = version.versionId === 'null' ? dropVersion(bucket, version.key, 'null') : []
  const versions = bucket.versions.get(version.key)
  if (versions) versions.push(version)
  else bucket.versions.set(version.key, [version])
  bucket.keys.add(version.key)
  return freed
}

function dropVersion(bucket: Bucket | undefined, key: string, versionId: string): string[] {
  const versions = bucket?.versions.get(key)
  const at = versions?.findIndex((version) => version.versionId === versionId) ?? -1
  if (!bucket || !versions || at < 0) return []
  const [dropped] = versions.splice(at, 1)
  if (versions.length === 0) {
    bucket.versions.delete(key)
    bucket.keys.remove(key)
  }
  return dropped?.blob === undefined ? [] : [dropped.blob]
}

function endUpload(state: State, id: string): string[] {
  const parts = state.uploads.get(id)?.parts
  state.uploads.delete(id)
  return parts ? [...parts.values()].map((part) => part.blob) : []
}
