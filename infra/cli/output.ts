/**
 * How a command speaks: lines for people as it goes, or one JSON document at its end with `--json`.
 */
import type { FileItem } from '../../lib/file.ts'
import { printable } from '../local/printable.ts'
import { paint, type Style } from './paint.ts'

/** A piece of a line: whatever text, made safe to show, or such text in a style. */
export type Piece = string | readonly [Style, string]

/** Where a command's answers go. */
export interface Output {
  /** One line for people, of pieces with or without a style; silent with `--json`. */
  line(...pieces: readonly Piece[]): void
  /** Bytes for people or pipes; silent with `--json`. */
  bytes(data: string | Uint8Array): void
  /** The whole answer, printed only with `--json`. */
  json(value: unknown): void
}

/** Output to standard output. */
export function createOutput(json: boolean): Output {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1) // whoever read it has had enough
  })
  return {
    line: (...pieces) => void (json || process.stdout.write(`${pieces.map(show).join('')}\n`)),
    bytes: (data) => void (json || process.stdout.write(data)),
    json: (value) => void (json && process.stdout.write(`${JSON.stringify(value)}\n`)),
  }
}

function show(piece: Piece): string {
  return typeof piece === 'string' ? printable(piece) : paint(piece[0], printable(piece[1]))
}

/** A file as the CLI shows it. */
export function describeFile(file: FileItem) {
  const { name, tags, visibility, readers, ownerId: owner, createdAt } = file
  const { type: mimeType, size } = file.content ?? {}
  return { uri: `files://${file.fileId}`, name, mimeType, size, owner, visibility, readers, tags, createdAt }
}

/** One line about who may see a file and how it is tagged. */
export function summariseFile(file: FileItem): string {
  const shared = file.visibility === 'shared' ? 'shared with the workspace' : 'private'
  const readers = file.readers.length > 0 ? `, readers: ${file.readers.join(', ')}` : ''
  const tags = file.tags.length > 0 ? `, tags: ${file.tags.join(', ')}` : ''
  return `files://${file.fileId} ${file.name}: ${shared}${readers}${tags}`
}
