/**
 * One file: its content, its frames, and what its host may change.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Access } from './access.tsx'
import { type Exchange, frame, send } from './exchange.ts'
import { formatMs, formatSize } from './format.ts'
import { Preview } from './preview.tsx'
import { type Caller, type Details, ReadAnswer, type Resource } from './wire.ts'
import { ExchangeView } from './wireview.tsx'

interface FileViewProps {
  caller: Caller
  resource: Resource
  details: Details | undefined
  /** Told in a sentence what was changed, and whether the file is gone. */
  onChanged(message: string, gone: boolean): void
}

/** The open file, read anew each time it is opened. */
export function FileView({ caller, resource, details, onChanged }: FileViewProps) {
  const [exchange, setExchange] = useState<Exchange>()
  const read = async () => setExchange(await send(caller, frame('read', { uri: resource.uri })))
  const title = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (matchMedia('(max-width: 900px)').matches) title.current?.scrollIntoView()
    void read()
  }, [])

  const answer = ReadAnswer.safeParse(exchange?.json)
  const [content] = answer.success ? answer.data.result.contents : []
  return (
    <>
      <div class="title" ref={title}>
        <h2>{resource.name}</h2>
        <button type="button" onClick={read}>
          Read again
        </button>
      </div>
      <p class="facts">
        <code>{resource.uri}</code>
        <span>{resource.mimeType}</span>
        <span title={`${resource.size} bytes`}>{formatSize(resource.size)}</span>
        {exchange && <span>{formatMs(exchange.totalMs)}</span>}
      </p>
      {content && <Preview content={content} name={resource.name} />}
      {exchange && <ExchangeView exchange={exchange} />}
      {details && <Access caller={caller} details={details} onChanged={onChanged} />}
    </>
  )
}
