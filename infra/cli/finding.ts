/**
 * What an examination found: well, or what is wrong and how to cure it. Failures of the AWS SDK become sentences here.
 */

/** One finding of `files doctor`. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  /** What to do; present when something is wrong. */
  readonly remedy?: string
}

/** An examination that went well. */
export function well(check: string, detail: string): Finding {
  return { check, ok: true, detail }
}

/** An examination that found something wrong. */
export function ill(check: string, detail: string, remedy: string): Finding {
  return { check, ok: false, detail, remedy }
}

/** What an examination needs from AWS, for the sentence about a refusal. */
export interface Need {
  readonly check: string
  /** The IAM action. */
  readonly action: string
  /** Which variable names the thing. */
  readonly variable: string
}

/** Runs an examination; what it throws becomes a finding. */
export async function examine(need: Need, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    return failure(need, error instanceof Error ? error : new Error(String(error)))
  }
}

const denied = ['AccessDenied', 'AccessDeniedException', 'Forbidden', '403', 'UnauthorizedOperation']
const missing = ['NotFound', 'NoSuchBucket', 'ResourceNotFoundException']
const skewed = [
  'RequestTimeTooSkewed',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'RequestExpired',
]
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'TimeoutError']

function failure({ check, action, variable }: Need, error: Error): Finding {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const is = (names: string[]) => names.includes(code) || names.includes(error.name)
  if (is(['CredentialsProviderError'])) {
    return ill(
      check,
      'no AWS credentials',
      'Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    )
  }
  if (is(denied)) return ill(check, `${action} is denied`, `Give these credentials the right ${action}.`)
  if (is(missing)) return ill(check, 'it does not exist', `Deploy it, or correct ${variable} or AWS_REGION.`)
  if (is(skewed))
    return ill(
      check,
      `the signature is refused (${code})`,
      'Set this machine’s clock, then check the secret key.',
    )
  if (is(unreachable)) {
    return ill(check, `nothing answers (${code})`, 'Check the network, AWS_REGION and AWS_ENDPOINT_URL.')
  }
  return ill(
    check,
    `${error.name}: ${error.message}`,
    `This is none of the usual: look at ${variable} and the service’s log.`,
  )
}
