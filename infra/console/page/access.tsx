/**
 * What the file's host may change: tags, sharing, name, and whether the file exists.
 */
import { useRef, useState } from 'preact/hooks'
import { type Change, change, remove } from './desk.ts'
import { TagInput } from './tags.tsx'
import type { Caller, Details } from './wire.ts'

interface AccessProps {
  caller: Caller
  details: Details
  onChanged(message: string, gone: boolean): void
}

/** The host's side of the file. */
export function Access({ caller, details, onChanged }: AccessProps) {
  const { uri, name, owner, tags, readers, visibility, createdAt } = details
  const [problem, setProblem] = useState('')
  const dialog = useRef<HTMLDialogElement>(null)

  async function run(work: () => Promise<unknown>, message: string, gone = false) {
    try {
      await work()
      setProblem('')
      onChanged(message, gone)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }

  const apply = (kind: Change, values: readonly string[], message: string) =>
    run(() => change(caller.workspace, uri, kind, values), message)

  /** Turns a new list of values into what was added and what was taken off. */
  function edit(
    before: readonly string[],
    after: readonly string[],
    add: Change,
    take: Change,
    what: string,
  ) {
    const added = after.filter((value) => !before.includes(value))
    const taken = before.filter((value) => !after.includes(value))
    if (added.length > 0) void apply(add, added, `${name}: ${what} ${added.join(', ')} added.`)
    if (taken.length > 0) void apply(take, taken, `${name}: ${what} ${taken.join(', ')} removed.`)
  }

  const shared = visibility === 'shared'
  return (
    <section class="access" aria-label="As the host">
      <h3>As the host</h3>
      <p class="note">
        Owned by {owner}, stored {new Date(createdAt).toLocaleString()}
      </p>
      <TagInput label="tags" tags={tags} onChange={(after) => edit(tags, after, 'tag', 'untag', 'tag')} />
      <TagInput
        label="readers, besides the owner"
        tags={readers}
        onChange={(after) => edit(readers, after, 'share', 'unshare', 'reader')}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={shared}
          onChange={() =>
            apply(
              shared ? 'unshare' : 'share',
              [],
              shared ? `${name} is no longer shared.` : `${name} is shared with ${caller.workspace}.`,
            )
          }
        />
        shared with everyone in {caller.workspace}
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Delete…
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h3 id="delete-title">Delete {name}?</h3>
        <p>Its object is deleted as well. This cannot be undone.</p>
        <form method="dialog" class="row">
          <button type="submit">Keep it</button>
          <button
            type="submit"
            class="danger"
            onClick={() => run(() => remove(caller.workspace, uri), `${name} is deleted.`, true)}
          >
            Delete
          </button>
        </form>
      </dialog>
    </section>
  )
}
