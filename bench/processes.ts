/**
 * The processes of a bench: the cloud and each server in its own, built as for production, so that none pays for
 * another's work and the CPU of each can be told.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { build } from 'esbuild'
import { bundleOptions } from '../infra/bundle.ts'
import type { Usage } from './child.ts'

/** A server process: its port, and what it has used since `reset`. */
export interface Server {
  readonly port: number
  usage(): Promise<Usage>
  /** Collects garbage and begins to measure the peak anew. */
  reset(): Promise<Usage>
  stop(): void
}

/** Builds the children once, with the settings of the deployed functions. */
export async function buildChildren(): Promise<void> {
  await build({
    ...bundleOptions,
    entryPoints: ['bench/child.ts', 'bench/cloud.ts', 'bench/indexer.ts'],
    outdir: 'dist/bench',
    outExtension: { '.js': '.mjs' },
    external: ['dynalite', 'classic-level', 'memory-level'],
  })
}

/** Starts a server in the role, with the environment on top of this process's, flags for Node, and its errors shown. */
export async function startServer(
  role: string,
  environment: Record<string, string>,
  { flags = [], log = 'inherit' }: { flags?: readonly string[]; log?: 'inherit' | 'ignore' } = {},
): Promise<Server> {
  const child = fork('dist/bench/child.mjs', [role], {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc', ...flags],
    stdio: ['ignore', 'inherit', log, 'ipc'],
  })
  const { port } = await answer<{ port: number }>(child)
  const ask = (question: string) => {
    const usage = answer<Usage>(child)
    child.send(question)
    return usage
  }
  return { port, usage: () => ask('usage'), reset: () => ask('reset'), stop: () => child.kill() }
}

/** The local cloud: the environment that names it, and who is told of its events. */
export interface CloudProcess {
  readonly environment: Record<string, string>
  onEvent(listener: (body: string) => void): void
  stop(): void
}

/** Starts the local cloud. */
export async function startCloudProcess(): Promise<CloudProcess> {
  const child = fork('dist/bench/cloud.mjs')
  const environment = await answer<Record<string, string>>(child)
  return {
    environment,
    onEvent: (listener) => child.on('message', ({ event }: { event: string }) => listener(event)),
    stop: () => child.kill(),
  }
}

/** The indexer with its queue. */
export interface IndexerProcess {
  send(body: string): void
  /** Resolves when so many more messages have been dealt with. */
  indexed(messages: number): Promise<void>
  stop(): void
}

/** Starts an indexer. */
export async function startIndexer(environment: Record<string, string>): Promise<IndexerProcess> {
  const child = fork('dist/bench/indexer.mjs', { env: { ...process.env, ...environment } })
  await answer(child)
  return {
    send: (body) => child.send({ body }),
    indexed: (messages) =>
      new Promise((resolve) => {
        let left = messages
        child.on('message', function count({ handled }: { handled: number }) {
          left -= handled
          if (left > 0) return
          child.off('message', count)
          resolve()
        })
      }),
    stop: () => child.kill(),
  }
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message')
  return message as T
}
