/**
 * How other processes find a running dev cloud: a file in its data folder that says where it listens. It is there
 * while the cloud runs, and one that a killed process left is recognised by its process id.
 */
import { access, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

/** A running dev cloud: its process, its URL, and the environment that its stores need. */
export const Descriptor = z.object({
  pid: z.int(),
  url: z.string(),
  environment: z.record(z.string(), z.string()),
})
export type Descriptor = z.infer<typeof Descriptor>

/** Variables of a developer's own AWS account that would win over those of the local cloud. */
export const foreignVariables = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']

const fileName = 'running.json'

/** Makes a dev cloud known; only its owner may read the file, for it holds credentials of the emulators. */
export async function writeDescriptor(dir: string, descriptor: Descriptor): Promise<void> {
  await writeFile(join(dir, fileName), JSON.stringify(descriptor, null, 2), { mode: 0o600 })
}

/** Makes a dev cloud that stops unknown again. */
export async function removeDescriptor(dir: string): Promise<void> {
  await rm(join(dir, fileName), { force: true })
}

/** The dev cloud that runs on the folder, or undefined. */
export async function findDescriptor(dir: string): Promise<Descriptor | undefined> {
  try {
    const descriptor = Descriptor.parse(JSON.parse(await readFile(join(dir, fileName), 'utf8')))
    process.kill(descriptor.pid, 0) // signal 0 only asks whether the process is there
    return descriptor
  } catch {
    return undefined
  }
}

/** True when a dev cloud on the folder was killed: it left its file. */
export async function wasKilled(dir: string): Promise<boolean> {
  return access(join(dir, fileName)).then(
    () => true,
    () => false,
  )
}
