/**
 * What the service says of itself: the capability that a host advertises, and the OpenAPI description, made from the
 * schemas that validate, the table of errors that answers, and examples that a test compares with the service.
 */
import { wireErrors } from './errors.ts'
import { answerExamples, failureExamples, requestExamples } from './examples.ts'
import { supportedSchemes } from './params.ts'
import { object, schemas } from './schemas.ts'

/** The object for `capabilities.extensions["ai.nimblebrain/host-resources"]`. */
export function capability(maxReadBytes: number) {
  return {
    read: { enabled: true, range: false, maxSize: maxReadBytes },
    list: { enabled: true },
    write: { enabled: false },
    schemes: supportedSchemes,
  }
}

const json = (schema: object, examples?: object) => ({
  content: { 'application/json': { schema, ...(examples && { examples }) } },
})
const ref = (...names: (keyof typeof schemas)[]) => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return refs.length === 1 ? { ...refs[0] } : { anyOf: refs }
}
const header = (description: string, schema: object) => ({ description, schema })
const retryAfter = { 'Retry-After': header('Seconds to wait, rounded up', { type: 'integer', minimum: 1 }) }
const ok = { description: 'All is well', ...json(object({ status: { const: 'ok' } })) }
const limit =
  'Lowers the read limit for this request, in bytes; a number above the limit of the service changes nothing'

/** Every answer of `POST /rpc` that is neither 200 nor 202, from the table of errors. */
function failures(): [string, object][] {
  const byStatus = Object.groupBy(Object.values(wireErrors), ({ status }) => status)
  return Object.entries(byStatus)
    .filter(([status]) => status !== '200')
    .map(([status, errors = []]) => {
      const description = errors.map(({ rpc, message }) => `${message} (${rpc})`).join(', ')
      const answer = { description, ...json(ref('ErrorResponse'), failureExamples[status]) }
      return [status, status === '503' ? { ...answer, headers: retryAfter } : answer]
    })
}

/** The OpenAPI 3.1 description of every endpoint. */
export function openApi(maxReadBytes: number) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'File resolver',
      version: '1',
      description: `Lets MCP servers read and list a host's files: the host forwards frames of the extension ai.nimblebrain/host-resources to \`POST /rpc\`. HTTP status speaks of the transport, the JSON-RPC error of the call. A read returns at most ${maxReadBytes} bytes.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'calls', description: 'What servers ask for, through their host' },
      { name: 'host', description: 'What a host needs to know' },
      { name: 'operation', description: 'For who runs the service' },
    ],
    paths: {
      '/rpc': {
        post: {
          operationId: 'call',
          tags: ['calls'],
          summary: 'One JSON-RPC 2.0 request: read a resource or list resources',
          security: [{ token: [] }],
          parameters: [
            {
              name: 'Max-Read-Bytes',
              in: 'header',
              description: limit,
              schema: { type: 'integer', minimum: 0 },
            },
            {
              name: 'X-Request-Id',
              in: 'header',
              description:
                'Names this request in the log, and is repeated in the answer; a new one is made if absent',
              schema: { type: 'string', pattern: '^[A-Za-z0-9_.:/+=-]{1,128}$' },
            },
          ],
          requestBody: { required: true, ...json(ref('ReadRequest', 'ListRequest'), requestExamples) },
          responses: {
            200: {
              description: 'A result, or the error of a call',
              headers: retryAfter,
              ...json(ref('ReadResponse', 'ListResponse', 'ErrorResponse'), answerExamples),
            },
            202: { description: 'A notification was accepted and does nothing' },
            401: {
              description: 'No valid token',
              headers: { 'WWW-Authenticate': header('RFC 6750', { type: 'string' }) },
              ...json(object({ error: { const: 'invalid_token' } }), failureExamples[401]),
            },
            ...Object.fromEntries(failures()),
          },
        },
      },
      '/capability': {
        get: {
          operationId: 'capability',
          tags: ['host'],
          security: [],
          summary: 'What a host advertises as ai.nimblebrain/host-resources',
          responses: {
            200: {
              description: 'The capability',
              ...json(ref('Capability'), {
                running: { summary: 'As it is now', value: capability(maxReadBytes) },
              }),
            },
          },
        },
      },
      '/healthz': {
        get: {
          operationId: 'healthz',
          tags: ['operation'],
          security: [],
          summary: 'Whether the process runs; touches no storage',
          responses: { 200: ok },
        },
      },
      '/readyz': {
        get: {
          operationId: 'readyz',
          tags: ['operation'],
          security: [],
          summary: 'Whether the bucket and the tables answered, at most ten seconds ago',
          responses: {
            200: ok,
            503: {
              description: 'Something does not answer',
              ...json(
                object({
                  status: { const: 'unavailable' },
                  failing: { type: 'array', items: { type: 'string' } },
                }),
                { bucket: { summary: 'No bucket', value: { status: 'unavailable', failing: ['bucket'] } } },
              ),
            },
          },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'openapi',
          tags: ['host'],
          security: [],
          summary: 'This document',
          responses: { 200: { description: 'OpenAPI 3.1', ...json({ type: 'object' }) } },
        },
      },
    },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'Signed by the host with Ed25519 or ES256, valid for at most 15 minutes; claims iss, aud, iat, exp, sub (the user), workspace and server.',
        },
      },
      schemas,
    },
  }
}
