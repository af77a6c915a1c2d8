/**
 * A frame written by hand: anything may be sent, with any credential, also what the contract refuses.
 */
import { useState } from 'preact/hooks'
import { type Credential, type Exchange, send } from './exchange.ts'
import type { Caller } from './wire.ts'
import { ExchangeView } from './wireview.tsx'

const request = (method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: `ai.nimblebrain/resources/${method}`, params }, null, 2)

const templates: Record<string, string> = {
  'read a file': request('read', { uri: 'files://fl_000000000000000000000002' }),
  'list everything': request('list'),
  'list by tags': request('list', { _meta: { filter: { tags: ['2026'], mimeType: 'text/csv' } } }),
  'a missing file': request('read', { uri: 'files://fl_ffffffffffffffffffffffff' }),
  'another scheme': request('read', { uri: 'https://example.com/x' }),
  'an unknown filter': request('list', { _meta: { filter: { owner: 'ben' } } }),
  'a cursor': request('list', { cursor: 'abc' }),
  'an unknown method': request('write', { uri: 'files://fl_000000000000000000000002' }),
  'a notification': '{"jsonrpc":"2.0","method":"ai.nimblebrain/resources/list"}',
  'a batch': '[{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list"}]',
  'no JSON': '{"jsonrpc":',
}

const credentials: Record<Credential, string> = {
  signed: 'token of the caller',
  none: 'no token',
  forged: 'a forged token',
}

/** The editor and the latest answer. */
export function Raw({ caller }: { caller: Caller }) {
  const [body, setBody] = useState(templates['read a file'] ?? '')
  const [credential, setCredential] = useState<Credential>('signed')
  const [maxReadBytes, setMaxReadBytes] = useState('')
  const [exchange, setExchange] = useState<Exchange>()
  const sendNow = async () => setExchange(await send(caller, body, { credential, maxReadBytes }))

  return (
    <div class="columns">
      <section class="pane" aria-label="Frame">
        <h2>A frame by hand</h2>
        <label>
          start from
          <select onChange={(event) => setBody(templates[event.currentTarget.value] ?? body)}>
            {Object.keys(templates).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          body of POST /rpc
          <textarea
            rows={12}
            spellcheck={false}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void sendNow()
            }}
          />
        </label>
        <div class="filters">
          <label>
            credential
            <select
              value={credential}
              onChange={(event) => setCredential(credentialOf(event.currentTarget.value))}
            >
              {Object.entries(credentials).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            Max-Read-Bytes
            <input
              value={maxReadBytes}
              placeholder="the service’s limit"
              onInput={(event) => setMaxReadBytes(event.currentTarget.value)}
            />
          </label>
        </div>
        <div class="row">
          <button type="button" class="primary" onClick={sendNow}>
            Send
          </button>
          <span class="note">or Ctrl+Enter in the frame</span>
        </div>
      </section>
      <section class="pane" aria-label="Answer">
        {exchange ? (
          <ExchangeView exchange={exchange} />
        ) : (
          <p class="empty">Send the frame to see the answer, with an explanation if it is an error.</p>
        )}
      </section>
    </div>
  )
}

function credentialOf(value: string): Credential {
  return value === 'none' || value === 'forged' ? value : 'signed'
}
