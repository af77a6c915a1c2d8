/**
 * A call as it went over the wire: request and response side by side, with sizes and times, and what an error means.
 */
import { useState } from 'preact/hooks'
import { asCurl, type Exchange } from './exchange.ts'
import { explain } from './explain.ts'
import { formatJson, formatMs, formatSize } from './format.ts'

type Headers = Exchange['requestHeaders']

/** Both frames. */
export function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { status, responseBytes, firstByteMs, totalMs } = exchange
  return (
    <div class="exchange">
      <Explanation exchange={exchange} />
      <div class="sides">
        <Side
          title="Request"
          start="POST /rpc"
          headers={exchange.requestHeaders}
          body={exchange.requestBody}
          note={formatSize(new TextEncoder().encode(exchange.requestBody).length)}
          copied={asCurl(exchange)}
          copyTitle="Copy as curl"
        />
        <Side
          title="Response"
          start={status === 0 ? 'no answer' : `HTTP ${status}`}
          headers={exchange.responseHeaders}
          body={exchange.responseBody}
          note={`${formatSize(responseBytes)}, first byte ${formatMs(firstByteMs)}, all ${formatMs(totalMs)}`}
          copied={exchange.responseBody}
          copyTitle="Copy body"
        />
      </div>
    </div>
  )
}

/** What an error means, and where to read on; nothing for a call that went well. */
export function Explanation({ exchange }: { exchange: Exchange }) {
  const explanation = explain(exchange)
  if (!explanation) return null
  return (
    <div class="explanation" role="alert">
      <strong>{explanation.title}</strong>
      <p>
        {explanation.text} <a href={`/guide/docs/errors.md#${explanation.anchor}`}>More about this error</a>
      </p>
    </div>
  )
}

interface SideProps {
  title: string
  start: string
  headers: Headers
  body: string
  note: string
  copied: string
  copyTitle: string
}

function Side({ title, start, headers, body, note, copied, copyTitle }: SideProps) {
  return (
    <section class="side" aria-label={title}>
      <div class="title">
        <h3>{title}</h3>
        <CopyButton text={copied} title={copyTitle} />
      </div>
      <p class="note">{note}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <b>{start}</b>
        {'\n'}
        {headers.map(([name, value]) => (
          <span class="header" key={name}>
            {`${name}: ${shortHeader(value)}\n`}
          </span>
        ))}
        {'\n'}
        {body === '' ? '(empty)' : formatJson(body)}
      </pre>
    </section>
  )
}

function CopyButton({ text, title }: { text: string; title: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" onClick={copy}>
      {copied ? 'Copied' : title}
    </button>
  )
}

function shortHeader(value: string): string {
  return value.length > 80 ? `${value.slice(0, 40)}…` : value
}
