/**
 * Who may call. With credentials configured every signature is verified, in a header or in a presigned URL; without them
 * a request still needs one, so that code which forgets to sign fails here as it would in S3.
 */
import type { Call } from './call.ts'
import { S3Error } from './errors.ts'
import { type Claim, verifySignature } from './signature.ts'

const maxSkewMs = 15 * 60_000
const maxExpiresSec = 7 * 24 * 3600
const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** The key pair that every request must be signed with. */
export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

/** Throws 403 unless the call is signed, rightly if there are credentials to tell, and in time. */
export function authorise(call: Call, credentials: Credentials | undefined, nowMs: number): void {
  const presigned = call.query.has('X-Amz-Signature')
  if (!presigned && call.headers.authorization === undefined) throw denied('Access Denied')
  if (!credentials) return
  const claim = presigned ? presignedClaim(call) : headerClaim(call)
  if (claim.accessKeyId !== credentials.accessKeyId) {
    throw new S3Error(
      403,
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
    )
  }
  if (presigned) checkExpiry(call, claim, nowMs)
  else checkSkew(claim, nowMs)
  if (!verifySignature(call, claim, credentials.secretAccessKey)) {
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
  }
  requireSignedHeaders(call, claim)
}

function headerClaim(call: Call): Claim {
  const header = call.headers.authorization ?? ''
  const [, fields = ''] = /^AWS4-HMAC-SHA256\s+(.*)$/.exec(header) ?? []
  const value = (name: string): string => new RegExp(`${name}=([^,\\s]+)`).exec(fields)?.[1] ?? ''
  return createClaim(
    value('Credential'),
    call.headers['x-amz-date'] ?? '',
    value('SignedHeaders'),
    value('Signature'),
    call.headers['x-amz-content-sha256'] ?? '',
  )
}

function presignedClaim(call: Call): Claim {
  const value = (name: string): string => call.query.get(name) ?? ''
  if (value('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') {
    throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"')
  }
  return createClaim(
    value('X-Amz-Credential'),
    value('X-Amz-Date'),
    value('X-Amz-SignedHeaders'),
    value('X-Amz-Signature'),
    // Merged from the query or sent as a header; S3 takes a presigned body as unsigned when neither is there.
    call.headers['x-amz-content-sha256'] ?? unsignedPayload,
  )
}

function createClaim(
  credential: string,
  timestamp: string,
  signedHeaders: string,
  signature: string,
  payloadHash: string,
): Claim {
  const slash = credential.indexOf('/')
  const scope = credential.slice(slash + 1)
  const names = signedHeaders.toLowerCase().split(';')
  if (slash < 1 || !/^\d{8}\/[^/]+\/s3\/aws4_request$/.test(scope) || !names.includes('host')) {
    throw malformed('The authorization is malformed')
  }
  if (!/^\d{8}T\d{6}Z$/.test(timestamp) || !scope.startsWith(timestamp.slice(0, 8))) {
    throw malformed('The date of the signature is malformed')
  }
  return {
    accessKeyId: credential.slice(0, slash),
    scope,
    timestamp,
    signedHeaders: names,
    signature,
    payloadHash,
  }
}

function checkExpiry(call: Call, claim: Claim, nowMs: number): void {
  const text = call.query.get('X-Amz-Expires') ?? ''
  const expiresSec = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (!(expiresSec >= 1 && expiresSec <= maxExpiresSec)) {
    throw malformed('X-Amz-Expires must be a number of seconds of at most a week')
  }
  const signedMs = parseTimestamp(claim.timestamp)
  if (nowMs < signedMs - maxSkewMs) throw denied('Request is not yet valid')
  if (nowMs > signedMs + expiresSec * 1000) throw denied('Request has expired')
}

function checkSkew(claim: Claim, nowMs: number): void {
  if (Math.abs(nowMs - parseTimestamp(claim.timestamp)) <= maxSkewMs) return
  const message = 'The difference between the request time and the current time is too large.'
  throw new S3Error(403, 'RequestTimeTooSkewed', message)
}

/** S3's rule: an `x-amz-*` header changes what a request does, so one that was not signed is refused. */
function requireSignedHeaders(call: Call, claim: Claim): void {
  const unsigned = Object.keys(call.message.headers).filter(
    (name) =>
      name.startsWith('x-amz-') && name !== 'x-amz-content-sha256' && !claim.signedHeaders.includes(name),
  )
  if (unsigned.length === 0) return
  const message = 'There were headers present in the request which were not signed'
  throw new S3Error(403, 'AccessDenied', message, {}, { HeadersNotSigned: unsigned.join(', ') })
}

function parseTimestamp(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function denied(message: string): S3Error {
  return new S3Error(403, 'AccessDenied', message)
}

function malformed(message: string): S3Error {
  return new S3Error(400, 'AuthorizationHeaderMalformed', message)
}
