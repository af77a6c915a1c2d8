/**
 * Loaded before AWS's runtime client: answers for its compiled part, which asks the Runtime API for the next event and
 * posts answers that are not streamed. Everything else of the runtime, streaming included, is AWS's own JavaScript.
 */
const Module = require('node:module')
const http = require('node:http')

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':')
const agent = new http.Agent({ keepAlive: true })

function send(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path: `/2018-06-01/runtime/invocation/${path}`, headers }
    const request = http.request(options, (response) => {
      let bodyJson = ''
      response.setEncoding('utf8')
      response.on('data', (text) => {
        bodyJson += text
      })
      response.on('end', () => resolve({ bodyJson, headers: response.headers }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** The compiled client posts while its caller waits; here the next poll waits for the post. */
let posted = Promise.resolve()
function post(path, body, headers) {
  posted = send('POST', path, body, { 'content-type': 'application/json', ...headers })
}

const client = {
  next: () => posted.then(() => send('GET', 'next')),
  done: (id, body) => post(`${id}/response`, body, {}),
  error: (id, body) =>
    post(`${id}/error`, body, { 'lambda-runtime-function-error-type': JSON.parse(body).errorType }),
}

const load = Module._load
Module._load = function loadOrStandIn(request, ...rest) {
  return request === './rapid-client.node' ? client : load.call(this, request, ...rest)
}
