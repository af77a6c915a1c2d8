/**
 * `npm run example:python`: the same host, and a server in Python in an environment that is made for it.
 */
import { fileURLToPath } from 'node:url'
import { PythonMissing, pythonFor } from '../../infra/host/python.ts'
import { runExample } from '../run.ts'

const server = fileURLToPath(new URL('./server.py', import.meta.url))
try {
  await runExample({ command: await pythonFor('0.2'), args: [server] })
} catch (error) {
  if (!(error instanceof PythonMissing)) throw error
  console.log(`The Python example is skipped. ${error.message}`)
  if (process.env.CI === 'true') process.exitCode = 1
}
