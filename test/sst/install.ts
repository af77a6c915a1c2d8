/**
 * SST's platform (its components and Pulumi's packages, 300 MB) from the package registry alone: `sst install` without
 * the tools that only a deployment needs.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The folder that `sst install` fills. */
export const platform = `${process.cwd()}/.sst/platform`

/** Installs the platform unless it is there, before any test: it may take minutes. */
export function setup(): void {
  if (existsSync(`${platform}/config.d.ts`) && existsSync(`${platform}/node_modules`)) return
  execFileSync('node_modules/.bin/sst', ['install', '--stage', 'dev'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      SST_SKIP_DEPENDENCY_CHECK: '1',
      SST_NO_BUN: '1',
      SST_TELEMETRY_DISABLED: '1',
    },
  })
}
