/**
 * A field for several values: Enter adds one, a click or Backspace in the empty field takes one off.
 */
import { useId, useState } from 'preact/hooks'

interface TagInputProps {
  label: string
  tags: readonly string[]
  onChange(tags: readonly string[]): void
}

/** The values as chips, and an input for the next one. */
export function TagInput({ label, tags, onChange }: TagInputProps) {
  const id = useId()
  const [text, setText] = useState('')

  function add() {
    if (text !== '') onChange([...new Set([...tags, text])])
    setText('')
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') {
      event.preventDefault()
      add()
    }
    if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1))
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="chips">
        {tags.map((tag) => (
          <button
            type="button"
            class="tag"
            key={tag}
            aria-label={`Remove ${tag}`}
            onClick={() => onChange(tags.filter((other) => other !== tag))}
          >
            {tag} <span aria-hidden="true">×</span>
          </button>
        ))}
        <input
          id={id}
          value={text}
          placeholder="type, then Enter"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
      </div>
    </div>
  )
}
