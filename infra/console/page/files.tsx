/**
 * What the caller sees, filtered by the service itself, and the file that is open beside it.
 */
import { useEffect, useState } from 'preact/hooks'
import { describe } from './desk.ts'
import { type Exchange, frame, send } from './exchange.ts'
import { FileTable } from './table.tsx'
import { TagInput } from './tags.tsx'
import { Upload } from './upload.tsx'
import { FileView } from './view.tsx'
import { type Caller, type Details, ListAnswer, type Resource } from './wire.ts'
import { ExchangeView, Explanation } from './wireview.tsx'

/** Files whose tags and owner are shown; a listing itself has no limit. */
const maxDescribed = 200

/** The listing and the open file. */
export function Files({ caller }: { caller: Caller }) {
  const [type, setType] = useState('')
  const [tags, setTags] = useState<readonly string[]>([])
  const [listing, setListing] = useState<Exchange>()
  const [resources, setResources] = useState<readonly Resource[]>([])
  const [details, setDetails] = useState<ReadonlyMap<string, Details>>(new Map())
  const [openUri, setOpenUri] = useState<string>()
  const [message, setMessage] = useState('')

  async function refresh() {
    const filter = { ...(type ? { mimeType: type } : {}), ...(tags.length > 0 ? { tags } : {}) }
    const exchange = await send(
      caller,
      frame('list', Object.keys(filter).length > 0 ? { _meta: { filter } } : undefined),
    )
    setListing(exchange)
    const answer = ListAnswer.safeParse(exchange.json)
    const found = answer.success ? answer.data.result.resources : []
    setResources(found)
    const uris = found.slice(0, maxDescribed).map(({ uri }) => uri)
    const described = await describe(caller.workspace, uris).catch(() => [])
    setDetails(new Map(described.map((file) => [file.uri, file])))
  }
  useEffect(() => void refresh(), [type, tags])

  const types = [...new Set(resources.map(({ mimeType }) => mimeType))].sort()
  const open = resources.find(({ uri }) => uri === openUri)

  return (
    <div class="columns">
      <section class="pane" aria-label="Files">
        <h2>
          What {caller.user} sees in {caller.workspace}
        </h2>
        <div class="filters">
          <label>
            type
            <input
              list="types"
              value={type}
              placeholder="any"
              spellcheck={false}
              onChange={(event) => setType(event.currentTarget.value.trim())}
            />
            <datalist id="types">
              {types.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <TagInput label="tags, all of them" tags={tags} onChange={setTags} />
        </div>
        {listing && <Explanation exchange={listing} />}
        <FileTable
          resources={resources}
          details={details}
          openUri={openUri}
          onOpen={setOpenUri}
          onTag={(tag) => setTags([...new Set([...tags, tag])])}
        />
        <p class="note" aria-live="polite">
          {message || `${resources.length.toLocaleString('en')} files`}
        </p>
        <Upload
          caller={caller}
          onStored={(text) => {
            setMessage(text)
            void refresh()
          }}
        />
        {listing && (
          <details class="frames">
            <summary>The list on the wire</summary>
            <ExchangeView exchange={listing} />
          </details>
        )}
      </section>
      <section class="pane" aria-label="Open file" aria-live="off">
        {open ? (
          <FileView
            key={open.uri}
            caller={caller}
            resource={open}
            details={details.get(open.uri)}
            onChanged={(text, gone) => {
              setMessage(text)
              if (gone) setOpenUri(undefined)
              void refresh()
            }}
          />
        ) : (
          <div class="empty">
            <p>Open a file to see its content and what was said on the wire.</p>
          </div>
        )}
      </section>
    </div>
  )
}
