/**
 * What several commands have in common on their command lines.
 */
import { CommanderError, InvalidArgumentError } from 'commander'
import { acceptIdentifier } from '../../lib/accept.ts'
import { fileIdOf as idOfUri } from '../../lib/params.ts'

/** A parser of a workspace, owner, user or server; `what` names it. */
export function identifier(what: string): (text: string) => string {
  return (text) => acceptIdentifier(what, text)
}

/** The option that says in which workspace a file is. */
export const workspaceOption = [
  '--workspace <workspace>',
  'workspace that the file is in',
  identifier('workspace'),
] as const

/** The values of `workspaceOption`. */
export interface WorkspaceOption {
  workspace: string
}

/** A wrong command line: exit code 2. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'files.usage', `error: ${message}`)
}

/** The file id of a URI on the command line. */
export function fileIdOf(uri: string): string {
  const fileId = uri.startsWith('files://') ? idOfUri(uri) : undefined
  if (fileId === undefined)
    throw usageError(`"${uri}" is no file URI; one looks like files://fl_0123456789abcdef01234567`)
  return fileId
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, values: string[]): string[] {
  return [...values, value]
}

/** A number of seconds that a token may be valid. */
export function parseTtl(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,3}$/.test(text) && seconds >= 1 && seconds <= 900) return seconds
  throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 900.')
}

/** How many things may be under way at a time. */
export function parseParallel(text: string): number {
  const number = Number(text)
  if (/^\d{1,3}$/.test(text) && number >= 1 && number <= 256) return number
  throw new InvalidArgumentError('It must be a whole number from 1 to 256.')
}
