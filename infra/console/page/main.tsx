/**
 * The developer's console: what a caller sees of the running service, and what is said on the wire.
 */
import { render } from 'preact'
import { App } from './app.tsx'
import { loadContext } from './desk.ts'

const context = await loadContext()
render(<App context={context} />, document.body)
