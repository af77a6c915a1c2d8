/**
 * Who asks: chosen from those used before, or typed. A change takes effect on Enter or when the field is left.
 */
import { useState } from 'preact/hooks'
import type { Caller } from './wire.ts'

const storageKey = 'file-console-names'
const samples = { workspace: ['acme'], user: ['ana', 'ben'], server: ['reports'] }
const fields = ['workspace', 'user', 'server'] as const

/** The three fields of a caller. */
export function CallerForm({ caller, onChange }: { caller: Caller; onChange(caller: Caller): void }) {
  const [known, setKnown] = useState(readKnown)

  function change(field: (typeof fields)[number], value: string) {
    if (value === '' || value === caller[field]) return
    const names = { ...known, [field]: [...new Set([value, ...known[field]])].slice(0, 20) }
    localStorage.setItem(storageKey, JSON.stringify(names))
    setKnown(names)
    onChange({ ...caller, [field]: value })
  }

  return (
    <form class="caller" aria-label="Caller" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => (
        <label key={field}>
          {field}
          <input
            name={field}
            value={caller[field]}
            list={`known-${field}`}
            maxLength={128}
            pattern="[!-~]+"
            required
            spellcheck={false}
            autocomplete="off"
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => change(field, event.currentTarget.value)}
          />
          <datalist id={`known-${field}`}>
            {known[field].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      ))}
    </form>
  )
}

function readKnown(): typeof samples {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    const names = (field: string, fallback: string[]) => {
      const value: unknown =
        typeof stored === 'object' && stored !== null ? Reflect.get(stored, field) : undefined
      return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : fallback
    }
    return {
      workspace: names('workspace', samples.workspace),
      user: names('user', samples.user),
      server: names('server', samples.server),
    }
  } catch {
    return samples
  }
}
