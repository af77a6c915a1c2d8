/**
 * What npm does to a command line without `--`: it takes the flags for its own settings, and hands on the rest.
 */
import type { Command, Option } from 'commander'

/** A sentence about the command's flags that npm has taken, undefined when it took none; `run` stands before them. */
export function swallowedHint(
  command: Command,
  env: NodeJS.ProcessEnv,
  run = `npm run files -- ${command.name()}`,
): string | undefined {
  const taken = command.options.filter((option) => isSwallowed(option, env)).map(({ long }) => long)
  if (taken.length === 0) return undefined
  const script = run.split(' ')[2]
  return `npm has taken ${taken.join(' and ')} for itself: write "--" after "${script}", as in ${run} ${taken[0]}`
}

/** True when the command would do more than was asked for: `--dry-run` did not reach it. */
export function lacksDryRun(command: Command, env: NodeJS.ProcessEnv): boolean {
  const option = command.options.find(({ long }) => long === '--dry-run')
  return option !== undefined && isSwallowed(option, env) && command.opts().dryRun === undefined
}

function isSwallowed(option: Option, env: NodeJS.ProcessEnv): boolean {
  return env[`npm_config_${option.name().replaceAll('-', '_')}`] !== undefined
}
