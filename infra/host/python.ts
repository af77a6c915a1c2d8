/**
 * Python environments with `nimblebrain-bundle-sdk`, made on demand in a folder that git ignores. Where there is no
 * Python 3.11 or no package index, one sentence says so; in CI that is a failure, never a silent skip.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The pinned sets of packages: the SDK's last release for mcp 1.x, and its first for mcp 2.x. */
export const pythonSets = ['0.1', '0.2'] as const
export type PythonSet = (typeof pythonSets)[number]

/** Why there is no environment, in one sentence for a reader. */
export class PythonMissing extends Error {
  override readonly name = 'PythonMissing'
}

/** The interpreter of the environment for a set, which is made if there is none. Throws `PythonMissing`. */
export async function pythonFor(set: PythonSet): Promise<string> {
  const requirements = join(root, `examples/python/requirements-${set}.txt`)
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 8)
  const dir = join(root, '.local/python', `${set}-${hash}`)
  const interpreter = join(dir, 'bin/python')
  if (await exists(join(dir, 'ready'))) return interpreter

  const python = await findPython()
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  try {
    await run(python, ['-m', 'venv', dir])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]
    await run(interpreter, pip, { timeout: 300_000 })
  } catch (error) {
    const reason =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : error
    throw new PythonMissing(`The Python packages could not be installed from PyPI: ${reason}`)
  }
  await writeFile(join(dir, 'ready'), '')
  return interpreter
}

async function findPython(): Promise<string> {
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
  for (const name of [process.env.PYTHON, 'python3.13', 'python3.12', 'python3.11', 'python3']) {
    if (!name) continue
    const found = await run(name, ['-c', check]).then(
      () => true,
      () => false,
    )
    if (found) return name
  }
  throw new PythonMissing('There is no Python 3.11 or newer with venv: install one, or name it in PYTHON.')
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
