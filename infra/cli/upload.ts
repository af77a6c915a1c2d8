/**
 * `files upload-url`: announces a file and prints where anybody who holds the URL may send its bytes, once.
 */
import { type Command, InvalidArgumentError } from 'commander'
import { createUpload } from '../../lib/upload.ts'
import { collect, identifier, type WorkspaceOption, workspaceOption } from './words.ts'
import type { Run } from './write.ts'

interface UploadOptions extends WorkspaceOption {
  owner: string
  name: string
  size: number
  type?: string
  tag: string[]
  shared?: true
  reader: string[]
  id?: string
  ttl: number
}

/** Adds upload-url. */
export function addUploadCommand(program: Command, run: Run): void {
  program
    .command('upload-url')
    .description('announce a file, and print a URL to which its bytes can be sent once')
    .requiredOption(...workspaceOption)
    .requiredOption('--owner <user>', 'owner of the file', identifier('owner'))
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--size <bytes>', 'its exact size', parseWhole)
    .option('--type <type>', 'media type, instead of the one that the name tells')
    .option('--tag <tag>', 'tag; repeat it for more', collect, [])
    .option('--shared', 'share with every member of the workspace')
    .option('--reader <user>', 'user who may read it; repeat it for more', collect, [])
    .option('--id <id>', 'file id, instead of a new one')
    .option('--ttl <seconds>', 'how long the URL is valid, at most 3600', parseWhole, 900)
    .action((options: UploadOptions) =>
      run(async (place, output) => {
        const input = {
          workspaceId: options.workspace,
          ownerId: options.owner,
          name: options.name,
          size: options.size,
          fileId: options.id,
          type: options.type,
          tags: options.tag,
          shared: options.shared ?? false,
          readers: options.reader,
        }
        const upload = await createUpload(place.stores(), place.uploadSigner(), input, options.ttl)
        output.line(`files://${upload.fileId}`)
        output.line(`PUT ${upload.url}`)
        for (const [name, value] of Object.entries(upload.headers)) output.line(`${name}: ${value}`)
        output.json({ uri: `files://${upload.fileId}`, ...upload })
      }),
    )
}

function parseWhole(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number in digits.')
}
