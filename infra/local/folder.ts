/**
 * The folder that `--data` names, for dev and for the CLI alike.
 */
import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'

/** The path that was meant: `~` is the home folder also where no shell has replaced it. */
export function parseFolder(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must name a folder.')
  return /^~(?=\/|$)/.test(text) ? join(homedir(), text.slice(1)) : text
}

const reasons: Record<string, string> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'its disk can only be read',
}

/** The absolute path of the folder, made if it is not there. Throws a sentence when it cannot be used. */
export async function openFolder(path: string): Promise<string> {
  const dir = resolve(path)
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
    return dir
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`The data folder ${dir} cannot be used: ${reasons[code] ?? code}. Choose another --data.`)
  }
}
