/**
 * Storing files as their owner, by choosing or dropping them.
 */
import { useRef, useState } from 'preact/hooks'
import { upload } from './desk.ts'
import { TagInput } from './tags.tsx'
import type { Caller } from './wire.ts'

/** The form; `onStored` gets a sentence about what came of it. */
export function Upload({ caller, onStored }: { caller: Caller; onStored(message: string): void }) {
  const [type, setType] = useState('')
  const [tags, setTags] = useState<readonly string[]>([])
  const [shared, setShared] = useState(false)
  const [busy, setBusy] = useState(false)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)

  async function store(files: Iterable<File>) {
    setBusy(true)
    const names: string[] = []
    let problem = ''
    for (const file of files) {
      try {
        const stored = await upload(caller, file, { name: file.name, type, tags, shared })
        names.push(stored.name)
      } catch (error) {
        problem = ` ${file.name}: ${error instanceof Error ? error.message : error}`
      }
    }
    setBusy(false)
    onStored(`${names.length > 0 ? `Stored ${names.join(', ')}.` : 'Nothing stored.'}${problem}`)
    if (picker.current) picker.current.value = ''
  }

  return (
    <details class="upload">
      <summary>Upload</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an addition to the file field inside */}
      <div
        class="drop"
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void store(event.dataTransfer?.files ?? [])
        }}
      >
        <label>
          files of {caller.user}, chosen or dropped here
          <input
            type="file"
            multiple
            ref={picker}
            disabled={busy}
            onChange={(event) => void store(event.currentTarget.files ?? [])}
          />
        </label>
        <label>
          type
          <input
            value={type}
            placeholder="as the name tells"
            spellcheck={false}
            onInput={(event) => setType(event.currentTarget.value)}
          />
        </label>
        <TagInput label="tags" tags={tags} onChange={setTags} />
        <label class="check">
          <input
            type="checkbox"
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          share with everyone in {caller.workspace}
        </label>
        <p class="note">Choose the options first: a file is stored at once.</p>
      </div>
    </details>
  )
}
