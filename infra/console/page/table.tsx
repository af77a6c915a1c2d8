/**
 * The listing as a table: every file is a button, every tag a filter.
 */
import { useState } from 'preact/hooks'
import { formatSize } from './format.ts'
import type { Details, Resource } from './wire.ts'

const rowsAtOnce = 200

interface FileTableProps {
  resources: readonly Resource[]
  details: ReadonlyMap<string, Details>
  openUri: string | undefined
  onOpen(uri: string): void
  onTag(tag: string): void
}

/** The files, a part at a time. */
export function FileTable({ resources, details, openUri, onOpen, onTag }: FileTableProps) {
  const [rows, setRows] = useState(rowsAtOnce)
  if (resources.length === 0) {
    return <p class="empty">No file. Upload one, change the filter, or ask as somebody else.</p>
  }
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col" class="wide">
              type
            </th>
            <th scope="col" class="number">
              size
            </th>
            <th scope="col">access</th>
          </tr>
        </thead>
        <tbody>
          {resources.slice(0, rows).map(({ uri, name, mimeType, size }) => {
            const file = details.get(uri)
            return (
              <tr key={uri} aria-selected={uri === openUri}>
                <td>
                  <button type="button" class="link" title={uri} onClick={() => onOpen(uri)}>
                    {name}
                  </button>
                  <span class="tags">
                    {file?.tags.map((tag) => (
                      <button
                        type="button"
                        class="tag"
                        key={tag}
                        title={`Filter by ${tag}`}
                        onClick={() => onTag(tag)}
                      >
                        {tag}
                      </button>
                    ))}
                  </span>
                </td>
                <td class="wide">{mimeType}</td>
                <td class="number" title={`${size} bytes`}>
                  {formatSize(size)}
                </td>
                <td>{file && accessOf(file)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {resources.length > rows && (
        <button type="button" onClick={() => setRows(rows + rowsAtOnce)}>
          Show more of {resources.length.toLocaleString('en')}
        </button>
      )}
    </>
  )
}

function accessOf({ owner, visibility, readers }: Details): string {
  if (visibility === 'shared') return `${owner}, shared`
  return readers.length > 0 ? `${owner} + ${readers.length}` : owner
}
