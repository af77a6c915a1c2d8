/**
 * How other processes find a running dev cloud: a file in its data folder that says where it listens. It is there
 * while the cloud runs, and one that a killed process left is recognised: its process id is nobody's, or that of a
 * process that does not listen there.
 */
import { access, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWhole } from './whole.ts'

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

/** Longer waits only who finds the queue of a listening socket full. */
const maxConnectMs = 2_000

/** Makes a dev cloud known; only its owner may read the file, for it holds credentials of the emulators. */
export async function writeDescriptor(dir: string, descriptor: Descriptor): Promise<void> {
  await writeWhole(join(dir, fileName), JSON.stringify(descriptor, null, 2))
}

/** Makes a dev cloud that stops unknown again. */
export async function removeDescriptor(dir: string): Promise<void> {
  await rm(join(dir, fileName), { force: true })
}

/** The dev cloud that runs on the folder, or undefined. */
export async function findDescriptor(dir: string): Promise<Descriptor | undefined> {
  try {
    const descriptor = Descriptor.parse(JSON.parse(await readFile(join(dir, fileName), 'utf8')))
    return isThere(descriptor.pid) && (await listens(descriptor.url)) ? descriptor : undefined
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0) // signal 0 only asks
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' // another user's
  }
}

/** Asks the kernel alone: a service that is busy has not gone. */
function listens(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: maxConnectMs })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(true))
    socket.once('error', () => end(false))
  })
}

/** True when a dev cloud on the folder was killed, or stopped before its work was done: it left its file. */
export async function wasKilled(dir: string): Promise<boolean> {
  return access(join(dir, fileName)).then(
    () => true,
    () => false,
  )
}
