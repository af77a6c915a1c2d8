/**
 * The endpoint under test, and which checks are skipped for it.
 */
import { gaps } from './gaps.ts'

/** The endpoint that AWS_ENDPOINT_URL named when the tests were started. */
export const endpoint = process.env.LIVE_ENDPOINT ?? ''
if (!endpoint)
  throw new Error('Set AWS_ENDPOINT_URL to the endpoint to test, for example http://127.0.0.1:4566')

/** The checks that are skipped for the kind of endpoint that `LIVE_TARGET` names; without it, none. */
export const known = gaps[process.env.LIVE_TARGET ?? ''] ?? { s3: [], dynamodb: [] }
