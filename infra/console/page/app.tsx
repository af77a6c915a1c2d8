/**
 * The page: who asks at the top, with the token bucket of their server; below it files, or a frame written by hand.
 */
import { useState } from 'preact/hooks'
import { Bucket } from './bucket.tsx'
import { CallerForm } from './caller.tsx'
import { Files } from './files.tsx'
import { Raw } from './raw.tsx'
import type { Caller, Context } from './wire.ts'

const views = { files: 'Files', raw: 'Raw frame' } as const

/** The whole page. */
export function App({ context }: { context: Context }) {
  const [caller, setCaller] = useState<Caller>(() => callerOfLocation(context.caller))
  const [view, setView] = useState<keyof typeof views>('files')
  const key = [caller.workspace, caller.user, caller.server].join(' ')

  function change(next: Caller) {
    history.replaceState(null, '', `?${new URLSearchParams({ ...next })}`)
    setCaller(next)
  }

  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <h1>File resolver</h1>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, title]) => (
            <button
              type="button"
              key={name}
              aria-current={view === name ? 'page' : undefined}
              onClick={() => setView(name === 'raw' ? 'raw' : 'files')}
            >
              {title}
            </button>
          ))}
          <a href="/docs">API reference</a>
          <a href="/guide/README.md">Guide</a>
        </nav>
        <CallerForm caller={caller} onChange={change} />
        <Bucket caller={caller} />
      </header>
      <main id="main" tabIndex={-1}>
        {view === 'files' ? <Files key={key} caller={caller} /> : <Raw key={key} caller={caller} />}
      </main>
    </>
  )
}

/** The caller that the address names, so that a view can be bookmarked. */
function callerOfLocation(fallback: Caller): Caller {
  const query = new URLSearchParams(location.search)
  return {
    workspace: query.get('workspace') ?? fallback.workspace,
    user: query.get('user') ?? fallback.user,
    server: query.get('server') ?? fallback.server,
  }
}
