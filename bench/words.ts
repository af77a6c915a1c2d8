/**
 * The command lines of what measures and of what tries to break things: help, and a sentence for a wrong word.
 */
import { Command, InvalidArgumentError } from 'commander'

/** A script's command line; it ends with 0 after its help, and with 2 when it is wrong. */
export function commandLine(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}

/** A parser of a number within bounds, such as a count or a time. */
export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`)
  }
}
