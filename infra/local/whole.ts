/**
 * Small files that are there as a whole or not at all, for their owner only.
 */
import { rename, writeFile } from 'node:fs/promises'

/** Writes a file beside its place and moves it there, so that neither a reader nor a kill finds half of it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
}
