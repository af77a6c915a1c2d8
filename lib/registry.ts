/**
 * The registry of a host's own store: one JSON entry a line, appended at each change, so that the last line of an id
 * wins. Lines that are torn, or are no entry, are skipped and told; the entries before them count.
 */
import * as z from 'zod'
import { fileIdPattern } from './keys.ts'

const Entry = z.object({
  id: z.string().regex(fileIdPattern, 'is no file id'),
  filename: z.string(),
  mimeType: z.string().nullish(),
  size: z.int().nonnegative().optional(),
  tags: z.array(z.string()).nullish(),
  createdAt: z.iso.datetime({ offset: true }).optional(),
  visibility: z.string().nullish(),
})

const Tombstone = z.object({ id: Entry.shape.id, deleted: z.literal(true) })

/** A file of the registry; what is absent of access is private. */
export interface RegistryFile {
  readonly id: string
  readonly filename: string
  readonly mimeType: string | undefined
  /** Bytes, as the host counted them. */
  readonly size: number | undefined
  readonly tags: readonly string[]
  readonly createdAtMs: number | undefined
  readonly shared: boolean
}

/** What a registry says at its end: a file or `deleted` by id, and the lines that say nothing. */
export interface Registry {
  readonly entries: ReadonlyMap<string, RegistryFile | 'deleted'>
  readonly malformed: readonly { readonly line: number; readonly reason: string }[]
}

/** Reads a registry. */
export async function readRegistry(bytes: AsyncIterable<Uint8Array>): Promise<Registry> {
  const entries = new Map<string, RegistryFile | 'deleted'>()
  const malformed: { line: number; reason: string }[] = []
  let line = 0
  for await (const text of linesOf(bytes)) {
    line += 1
    if (text.trim() === '') continue
    try {
      const value: unknown = JSON.parse(text)
      const tombstone = Tombstone.safeParse(value)
      if (tombstone.success) entries.set(tombstone.data.id, 'deleted')
      else {
        const file = toFile(Entry.parse(value))
        entries.set(file.id, file)
      }
    } catch (error) {
      malformed.push({ line, reason: reasonOf(error) })
    }
  }
  return { entries, malformed }
}

function toFile({ createdAt, mimeType, tags, visibility, ...entry }: z.infer<typeof Entry>): RegistryFile {
  return {
    id: entry.id,
    filename: entry.filename,
    size: entry.size,
    mimeType: mimeType ?? undefined,
    tags: tags ?? [],
    createdAtMs: createdAt === undefined ? undefined : Date.parse(createdAt),
    shared: visibility === 'shared',
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'is no JSON'
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'the line'}: ${issue?.message}`
}

/** Lines end at a line feed alone: JSON may hold U+2028, which Node's own reader of lines would split at. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest + decoder.decode()
}
