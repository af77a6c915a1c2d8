/**
 * Configuration from the environment: parsed once at the start, every problem reported together with its variable's
 * name, the result frozen. Numbers are digits only (a coerced empty string would be 0).
 */
import type { JSONWebKeySet, JWK } from 'jose'
import * as z from 'zod/mini'
import { signatureAlgorithms } from './auth.ts'
import { algorithmsOf, checkKey, findClash, KeySet } from './jwk.ts'

const digits = (min: number, max: number, fallback: number) =>
  z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number in digits')),
      z
        .transform(Number)
        .check(z.refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)),
    ),
    fallback,
  )

const notEmpty = z.regex(/\S/, { error: 'must not be empty', abort: true })
const required = z.string('is missing').check(notEmpty)

const bucketName = z
  .string('is missing')
  .check(
    notEmpty,
    z.regex(
      /^(?!.*\.\.|(?:\d+\.){3}\d+$)[a-z\d][a-z\d.-]{1,61}[a-z\d]$/,
      "must be a bucket's name: 3 to 63 lower-case letters, digits, dots and hyphens",
    ),
  )

const tableName = z
  .string('is missing')
  .check(
    notEmpty,
    z.regex(/^[\w.-]{3,255}$/, "must be a table's name: 3 to 255 letters, digits, or any of '_.-'"),
  )

const Jwks = z.pipe(
  required,
  z.transform((text, context): JSONWebKeySet => {
    const wrong = (message: string) => context.issues.push({ code: 'custom', message, input: text })
    const members = membersOf(text)
    if (members.length === 0) wrong('must be a JSON Web Key Set with at least one public OKP or EC key')
    const keys: JWK[] = []
    for (const [i, member] of members.entries()) {
      const key = checkKey(member)
      if (typeof key === 'string') wrong(`key ${i + 1} ${key}`)
      else keys.push(key)
    }
    const clash = findClash(keys)
    if (clash) wrong(`keys ${clash[0] + 1} and ${clash[1] + 1} need a kid each, to be told apart`)
    return { keys }
  }),
)

/** The members of a key set, unchecked; none when the text is no key set. */
function membersOf(text: string): unknown[] {
  try {
    return KeySet.parse(JSON.parse(text)).keys
  } catch {
    return []
  }
}

/** No fetch sends a user or a password in a URL, and the log would show it. */
function holdsNoCredential(url: string): boolean {
  const parsed = URL.parse(url)
  return !parsed || (parsed.username === '' && parsed.password === '')
}

const Algorithms = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.split(',').map((name) => name.trim())),
  ),
  z.array(z.enum(signatureAlgorithms, `must be among ${signatureAlgorithms.join(', ')}`)),
)

const StoreEnvironment = z.object({
  FILES_BUCKET: bucketName,
  FILES_TABLE: tableName,
  MAX_READ_BYTES: digits(1, 2 ** 30, 10_485_760),
})

const Environment = z
  .extend(StoreEnvironment, {
    BUCKETS_TABLE: tableName,
    HOST_JWKS: z.optional(Jwks),
    HOST_JWKS_URL: z.optional(
      z
        .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
        .check(z.refine(holdsNoCredential, 'must hold no user and no password')),
    ),
    TOKEN_ISSUER: required,
    TOKEN_AUDIENCE: required,
    TOKEN_ALGORITHMS: z._default(Algorithms, [...signatureAlgorithms]),
    RATE_LIMIT_PER_SECOND: digits(1, 10_000, 100),
    RATE_LIMIT_BURST: digits(1, 1_000_000, 1_000),
    FIRST_BYTE_TIMEOUT_MS: digits(1, 900_000, 25_000),
    IDLE_TIMEOUT_MS: digits(1, 900_000, 15_000),
    RESPONSE_TIMEOUT_MS: digits(1, 900_000, 180_000),
    METRICS_NAMESPACE: z.optional(
      z.string().check(z.regex(/^[\w./#:-]{1,255}$/, "must be 1 to 255 letters, digits, or any of './#:-_'")),
    ),
  })
  .check(
    z.refine((env) => (env.HOST_JWKS === undefined) !== (env.HOST_JWKS_URL === undefined), {
      path: ['HOST_JWKS'],
      error: 'set exactly one of HOST_JWKS and HOST_JWKS_URL',
      when: ({ issues }) =>
        !issues.some(({ path }) => path?.[0] === 'HOST_JWKS' || path?.[0] === 'HOST_JWKS_URL'),
    }),
    z.refine(
      ({ HOST_JWKS, TOKEN_ALGORITHMS }) =>
        HOST_JWKS?.keys.some((key) => algorithmsOf(key).some((name) => TOKEN_ALGORITHMS.includes(name))) ??
        true,
      { path: ['TOKEN_ALGORITHMS'], error: 'no key of HOST_JWKS is used with any of these' },
    ),
  )

/** Everything that an operator may set; times in milliseconds, sizes in bytes. */
export interface Config {
  readonly bucket: string
  readonly filesTable: string
  readonly bucketsTable: string
  readonly keys: { readonly jwks: JSONWebKeySet } | { readonly url: URL }
  readonly issuer: string
  readonly audience: string
  readonly algorithms: readonly (typeof signatureAlgorithms)[number][]
  readonly maxReadBytes: number
  readonly rate: { readonly perSecond: number; readonly burst: number }
  readonly firstByteMs: number
  readonly idleMs: number
  readonly responseMs: number
  /** The CloudWatch namespace of the metrics that calls leave in the log; undefined: none. */
  readonly metricsNamespace: string | undefined
}

/** What somebody who stores files must know; the names are those of `Config`. */
export type StoreConfig = Pick<Config, 'bucket' | 'filesTable' | 'maxReadBytes'>

/** The part of the configuration that storing needs. Throws one error that names every wrong variable. */
export function parseStoreConfig(environment: Record<string, string | undefined>): StoreConfig {
  const env = parse(StoreEnvironment, environment)
  return { bucket: env.FILES_BUCKET, filesTable: env.FILES_TABLE, maxReadBytes: env.MAX_READ_BYTES }
}

/** The configuration that an environment holds. Throws one error that names every wrong variable. */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const env = parse(Environment, environment)
  return Object.freeze({
    bucket: env.FILES_BUCKET,
    filesTable: env.FILES_TABLE,
    bucketsTable: env.BUCKETS_TABLE,
    keys: env.HOST_JWKS ? { jwks: env.HOST_JWKS } : { url: new URL(env.HOST_JWKS_URL ?? '') },
    issuer: env.TOKEN_ISSUER,
    audience: env.TOKEN_AUDIENCE,
    algorithms: env.TOKEN_ALGORITHMS,
    maxReadBytes: env.MAX_READ_BYTES,
    rate: { perSecond: env.RATE_LIMIT_PER_SECOND, burst: env.RATE_LIMIT_BURST },
    firstByteMs: env.FIRST_BYTE_TIMEOUT_MS,
    idleMs: env.IDLE_TIMEOUT_MS,
    responseMs: env.RESPONSE_TIMEOUT_MS,
    metricsNamespace: env.METRICS_NAMESPACE,
  })
}

function parse<T>(schema: z.ZodMiniType<T>, environment: Record<string, string | undefined>): T {
  const parsed = schema.safeParse(environment)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `  ${String(issue.path[0])}: ${issue.message}`)
  throw new Error(`The configuration is wrong:\n${[...new Set(problems)].join('\n')}`)
}
