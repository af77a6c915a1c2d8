/**
 * What a command says when it fails. Callers of the service learn nothing of its storage; who runs the command line is
 * its operator, and has to know.
 */
import { ResolverError } from '../../lib/errors.ts'

/** The sentence for the terminal. */
export function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!(error instanceof ResolverError && error.code === 'unavailable')) return error.message
  const what = error.cause instanceof Error ? error.cause.message : 'it is unavailable'
  return `Storage does not answer as it should: ${what}${reason(error)}. "npm run files -- doctor" says what to do.`
}

/** The word for the first cause, as the AWS SDK or Node.js has it; doctor knows more. */
function reason(error: Error): string {
  let first: Error | undefined
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) first = cause
  if (!first || first === error.cause) return ''
  return ` (${'code' in first ? first.code : first.name})`
}
