/**
 * Cross-origin requests: a preflight is answered, and any other answer given its headers, by the first rule of the
 * bucket that matches. A preflight carries no signature and needs none.
 */
import type { HeaderMap, Reply } from './call.ts'
import { S3Error } from './errors.ts'
import { findAll, findText, findTexts } from './xml.ts'

interface Rule {
  origins: string[]
  methods: string[]
  headers: string[]
  exposed: string[]
  maxAgeSec: string | undefined
}

const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'

/** The headers that let a browser's script read an answer; none when no rule matches. */
export function corsHeaders(document: string | undefined, method: string, headers: HeaderMap): HeaderMap {
  const { origin } = headers
  if (document === undefined || origin === undefined) return {}
  const rule = parseRules(document).find((each) => allows(each, origin, method, []))
  return rule ? grant(rule, origin) : { vary }
}

/** Answers a preflight, or refuses it with 403. */
export function preflight(document: string | undefined, headers: HeaderMap): Reply {
  const { origin } = headers
  const method = headers['access-control-request-method']
  if (origin === undefined || method === undefined) {
    throw new S3Error(400, 'BadRequest', 'Insufficient information. Origin request header needed.')
  }
  const asked = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  const wanted = asked.filter((name) => name !== '')
  const rule = parseRules(document ?? '').find((each) => allows(each, origin, method, wanted))
  if (!rule) throw new S3Error(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.')
  return {
    status: 200,
    headers: {
      ...grant(rule, origin),
      ...(wanted.length > 0 && { 'access-control-allow-headers': wanted.join(', ') }),
      ...(rule.maxAgeSec !== undefined && { 'access-control-max-age': rule.maxAgeSec }),
    },
  }
}

function parseRules(document: string): Rule[] {
  return findAll(document, 'CORSRule').map((rule) => ({
    origins: findTexts(rule, 'AllowedOrigin'),
    methods: findTexts(rule, 'AllowedMethod'),
    headers: findTexts(rule, 'AllowedHeader').map((name) => name.toLowerCase()),
    exposed: findTexts(rule, 'ExposeHeader'),
    maxAgeSec: findText(rule, 'MaxAgeSeconds'),
  }))
}

function allows(rule: Rule, origin: string, method: string, headers: string[]): boolean {
  if (!rule.methods.includes(method)) return false
  if (!rule.origins.some((pattern) => matchesPattern(pattern, origin))) return false
  return headers.every((name) => rule.headers.some((pattern) => matchesPattern(pattern, name)))
}

/** A pattern has at most one `*`, which stands for any text. */
function matchesPattern(pattern: string, text: string): boolean {
  const [before = '', after] = pattern.split('*', 2)
  if (after === undefined) return pattern === text
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
}

function grant(rule: Rule, origin: string): HeaderMap {
  const isPublic = rule.origins.includes('*')
  return {
    'access-control-allow-origin': isPublic ? '*' : origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(!isPublic && { 'access-control-allow-credentials': 'true' }),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    vary,
  }
}
