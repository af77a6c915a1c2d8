/**
 * An append-only file of JSON lines. A line is written in one call before its change is applied, so a killed process
 * loses at most a line that nobody was told of; such a torn last line is cut off at the next start.
 */
import {
  appendFileSync,
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  truncateSync,
} from 'node:fs'
import { Entry } from './entries.ts'

const batchLines = 1000

/** The open end of a journal. */
export interface Journal {
  append(entry: Entry): void
  close(): void
}

/** Reads a journal, cuts a torn end off, and returns how many entries there were; an absent file has none. */
export async function replay(path: string, apply: (entry: Entry) => void): Promise<number> {
  closeSync(openSync(path, 'a'))
  let count = 0
  let goodBytes = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    rest = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      apply(parseLine(rest.toString('utf8', start, end), path, goodBytes + start))
      count++
      start = end + 1
    }
    goodBytes += start
    rest = rest.subarray(start)
  }
  if (rest.length > 0) truncateSync(path, goodBytes)
  return count
}

/** Opens a journal to append to. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'a')
  let size = fstatSync(file).size
  let isOpen = true
  return {
    append(entry) {
      if (!isOpen) throw new Error('The store is closed')
      const line = `${JSON.stringify(entry)}\n`
      try {
        appendFileSync(file, line)
        size += Buffer.byteLength(line)
      } catch (cause) {
        // A disk that is full took half a line: the next one must not be written behind it.
        ftruncateSync(file, size)
        throw cause
      }
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** Replaces a journal by these entries, in one rename. */
export function rewrite(path: string, entries: Iterable<Entry>): void {
  const draft = `${path}.new`
  const file = openSync(draft, 'w')
  let lines: string[] = []
  for (const entry of entries) {
    lines.push(`${JSON.stringify(entry)}\n`)
    if (lines.length < batchLines) continue
    appendFileSync(file, lines.join(''))
    lines = []
  }
  appendFileSync(file, lines.join(''))
  closeSync(file)
  renameSync(draft, path)
}

function parseLine(line: string, path: string, at: number): Entry {
  try {
    return Entry.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`${path} is damaged at byte ${at}`, { cause })
  }
}
