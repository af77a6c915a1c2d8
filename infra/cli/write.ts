/**
 * The commands that store, change and delete files, straight in the stores, as a host does.
 */
import { constants, createReadStream } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { type FileRef, renameFile, shareFile, tagFile, unshareFile, untagFile } from '../../lib/change.ts'
import type { FileStores } from '../../lib/complete.ts'
import type { FileItem } from '../../lib/file.ts'
import { removeFile } from '../../lib/remove.ts'
import { type NewFile, pendingFile, storeFile } from '../../lib/store.ts'
import { printable } from '../local/printable.ts'
import { describeFile, type Output, summariseFile } from './output.ts'
import type { Place } from './place.ts'
import { startProgress } from './progress.ts'
import { collect, fileIdOf, identifier, usageError, type WorkspaceOption, workspaceOption } from './words.ts'

/** Runs a command's work with the place and the output that the global options chose. */
export type Run = (work: (place: Place, output: Output) => Promise<void>) => Promise<void>

interface PutOptions extends WorkspaceOption {
  owner: string
  name?: string
  type?: string
  tag: string[]
  shared?: true
  reader: string[]
  id?: string
}

interface ReaderOption extends WorkspaceOption {
  reader: string[]
}

/** Adds put, tag, untag, share, unshare, rename and rm. */
export function addWriteCommands(program: Command, run: Run): void {
  program
    .command('put')
    .argument('<path...>', 'files to store')
    .description('store files; prints one URI a line')
    .requiredOption(...workspaceOption)
    .requiredOption('--owner <user>', 'owner of the files', identifier('owner'))
    .option('--name <name>', 'name, instead of the one on disk')
    .option('--type <type>', 'media type, instead of the one that the name tells')
    .option('--tag <tag>', 'tag; repeat it for more', collect, [])
    .option('--shared', 'share with every member of the workspace')
    .option('--reader <user>', 'user who may read it; repeat it for more', collect, [])
    .option('--id <id>', 'file id, instead of a new one')
    .action((paths: string[], options: PutOptions) =>
      run((place, output) => putAll(place.stores(), paths, options, output)),
    )

  function addChange(
    name: string,
    description: string,
    argument: readonly [string, string],
    change: (stores: FileStores, ref: FileRef, value: string[]) => Promise<FileItem>,
  ): void {
    program
      .command(name)
      .argument('<uri>', 'files://…')
      .argument(...argument)
      .description(description)
      .requiredOption(...workspaceOption)
      .action((uri: string, value: string | string[], options: WorkspaceOption) =>
        run(async (place, output) => {
          const ref = { workspaceId: options.workspace, fileId: fileIdOf(uri) }
          report(await change(place.stores(), ref, [value].flat()), output)
        }),
      )
  }

  addChange('tag', 'add tags', ['<tag...>', 'tags to add'], tagFile)
  addChange('untag', 'remove tags', ['<tag...>', 'tags to remove'], untagFile)
  addChange('rename', 'give a file another name', ['<name>', 'new name'], (stores, ref, [name = '']) =>
    renameFile(stores, ref, name),
  )

  for (const [name, description, change] of [
    ['share', 'share with the workspace, or with --reader only', shareFile],
    ['unshare', 'stop sharing with the workspace, or with --reader only', unshareFile],
  ] as const) {
    program
      .command(name)
      .argument('<uri>', 'files://…')
      .description(description)
      .requiredOption(...workspaceOption)
      .option('--reader <user>', 'a user, not the whole workspace; repeat it for more', collect, [])
      .action((uri: string, { workspace, reader }: ReaderOption) =>
        run(async (place, output) => {
          const sharing = reader.length > 0 ? { readers: reader } : { shared: true }
          report(
            await change(place.stores(), { workspaceId: workspace, fileId: fileIdOf(uri) }, sharing),
            output,
          )
        }),
      )
  }

  program
    .command('rm')
    .argument('<uri>', 'files://…')
    .description('delete a file')
    .requiredOption(...workspaceOption)
    .action((uri: string, options: WorkspaceOption) =>
      run(async (place, output) => {
        await removeFile(place.stores(), { workspaceId: options.workspace, fileId: fileIdOf(uri) })
        output.line(`${uri} deleted`)
        output.json({ uri, deleted: true })
      }),
    )
}

async function putAll(
  stores: FileStores,
  paths: string[],
  options: PutOptions,
  output: Output,
): Promise<void> {
  if (paths.length > 1 && (options.name ?? options.id) !== undefined) {
    throw usageError('--name and --id go with one path only')
  }
  const sizes = await Promise.all(paths.map(sizeOf))
  for (const path of paths) pendingFile(inputOf(path, options)) // throws for what could never be stored
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const progress = startProgress('storing', total, 'bytes')
  const printed: string[] = []
  const print = process.stderr.isTTY ? (line: string) => void printed.push(line) : output.line
  const stored: FileItem[] = []
  let done = 0
  try {
    for (const [i, path] of paths.entries()) {
      const size = sizes[i] ?? 0
      const file = await put(stores, { path, size }, options, (bytes) => progress.update(done + bytes))
      done += size
      stored.push(file)
      print(`files://${file.fileId}`)
    }
  } finally {
    progress.end()
    for (const line of printed) output.line(line)
    output.json(stored.map(describeFile))
    for (const file of stored) noteSize(file, stores.maxReadBytes)
  }
}

function noteSize({ name, content }: FileItem, maxReadBytes: number): void {
  if (!content || (content.size <= maxReadBytes && !content.oversize)) return
  console.error(
    `note: ${printable(name)} is larger than MAX_READ_BYTES (${maxReadBytes}): it is listed, and reading it is refused with -32005.`,
  )
}

/** Bytes of the file; whatever is none is refused before anything is stored. */
async function sizeOf(path: string): Promise<number> {
  if (path === '') throw usageError('a path is empty: name a file')
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new Error(`There is no file ${resolve(path)}.`) // npm runs it in the repository's folder
  if (found.isDirectory()) throw new Error(`${path} is a folder; name the files in it.`)
  if (!found.isFile())
    throw new Error(`${path} is neither a file nor a folder; save its bytes as a file first.`)
  await access(path, constants.R_OK).catch(() => {
    throw new Error(`You may not read ${path}.`)
  })
  return found.size
}

async function put(
  stores: FileStores,
  { path, size }: { path: string; size: number },
  options: PutOptions,
  onProgress: (bytes: number) => void,
): Promise<FileItem> {
  const stream = createReadStream(path)
  const timer = setInterval(() => onProgress(stream.bytesRead), 100)
  try {
    return await storeFile(stores, inputOf(path, options), { stream, size })
  } finally {
    clearInterval(timer)
  }
}

function inputOf(path: string, options: PutOptions): NewFile {
  return {
    workspaceId: options.workspace,
    ownerId: options.owner,
    name: options.name ?? basename(path),
    fileId: options.id,
    type: options.type,
    tags: options.tag,
    shared: options.shared ?? false,
    readers: options.reader,
  }
}

function report(file: FileItem, output: Output): void {
  output.line(summariseFile(file))
  output.json(describeFile(file))
}
