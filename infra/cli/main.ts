/**
 * `npm run files -- <command>`: stores, changes and deletes files as a host does, and lists and reads them through the
 * resolver as a caller. Exit code 0 if it worked, 1 if not, 2 for a wrong command line; errors go to stderr.
 */
import { Command, CommanderError } from 'commander'
import { ResolverError } from '../../lib/errors.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { parseFolder } from '../local/folder.ts'
import { printable } from '../local/printable.ts'
import { addAskCommands } from './ask.ts'
import { addCallCommand } from './call.ts'
import { addDoctorCommand } from './doctor.ts'
import { tell } from './failure.ts'
import { addImportCommand } from './import.ts'
import { addKeepCommands } from './keep.ts'
import { lacksDryRun, swallowedHint } from './npm.ts'
import { createOutput } from './output.ts'
import { paint } from './paint.ts'
import { findPlace } from './place.ts'
import { addUploadCommand } from './upload.ts'
import { usageError } from './words.ts'
import { addWriteCommands, type Run } from './write.ts'

const program = new Command('npm run files --')
  .description('Stores, shares, tags, lists and reads files of the file resolver.')
  .option('--data <dir>', 'data folder of a running dev service', parseFolder, '.local')
  .option('--json', 'print JSON')
  .version(packageJson.version, '--version', 'print the version')
  .addHelpText(
    'after',
    '\nIn a script or a pipe: npm run --silent files -- …, or npm writes two lines before the answer.',
  )
  .hook('preAction', (_, command) => {
    if (lacksDryRun(command, process.env)) throw usageError('nothing was done')
  })
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })

const run: Run = async (work) => {
  const { data, json = false } = program.opts<{ data: string; json?: true }>()
  await work(await findPlace(data), createOutput(json))
}

addWriteCommands(program, run)
addAskCommands(program, run)
addKeepCommands(program, run)
addImportCommand(program, run)
addUploadCommand(program, run)
addCallCommand(program, run)
addDoctorCommand(program)
for (const command of program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : each))) {
  command
    .option('--data <dir>', 'data folder of a running dev service', parseFolder)
    .option('--json', 'print JSON')
  command.on('option:data', (dir: string) => program.setOptionValue('data', parseFolder(dir)))
  command.on('option:json', () => program.setOptionValue('json', true))
  command.configureHelp({ showGlobalOptions: false })
}

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    await program.parseAsync()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return endUsage(error)
    const lines = tell(error).split('\n').map(printable) // it may quote anybody's text
    console.error(`${paint('red', 'error:', process.stderr)} ${lines.join('\n')}`)
    return error instanceof ResolverError && error.code === 'limit' ? 2 : 1
  }
}

function endUsage(error: CommanderError): number {
  if (error.exitCode === 0) return 0
  if (error.code === 'files.usage') console.error(error.message)
  const command = program.commands.find((each) => process.argv.includes(each.name()))
  const hint = command && swallowedHint(command, process.env)
  if (hint) console.error(hint)
  return 2
}
