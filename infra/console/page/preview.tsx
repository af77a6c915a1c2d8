/**
 * The content itself: decoded text, an image, a PDF, or the first bytes of anything else. A file is untrusted, so text
 * is shown as text whatever its type, and the browser is told no other type than those it may show here.
 */
import { useEffect, useState } from 'preact/hooks'
import { formatSize, hexDump } from './format.ts'
import type { Content } from './wire.ts'

const maxShownChars = 200_000
const imageType = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** What is in the file. */
export function Preview({ content, name }: { content: Content; name: string }) {
  const essence = content.mimeType.split(';')[0] ?? ''
  const bytes =
    content.blob === undefined ? new TextEncoder().encode(content.text) : decodeBase64(content.blob)
  const shownType = imageType.test(essence) || essence === 'application/pdf' ? essence : undefined
  const url = useObjectUrl(content, bytes, shownType ?? 'application/octet-stream')
  return (
    <figure class="preview">
      {url && show(content, essence, shownType, bytes, url, name)}
      <figcaption>
        <span>
          {content.text === undefined ? 'blob, ' : 'text, '}
          {formatSize(bytes.length)}
        </span>
        <a href={url} download={name}>
          Download
        </a>
      </figcaption>
    </figure>
  )
}

function show(
  { text }: Content,
  essence: string,
  shownType: string | undefined,
  bytes: Uint8Array,
  url: string,
  name: string,
) {
  if (text !== undefined) return <Text text={text} />
  if (shownType === 'application/pdf') return <iframe src={`${url}#navpanes=0&view=FitH`} title={name} />
  if (shownType) return <img src={url} alt={name} />
  return (
    <>
      {bytes.length > 512 && <p class="note">The first 512 bytes of this {essence}:</p>}
      <Text text={hexDump(bytes)} />
    </>
  )
}

function Text({ text }: { text: string }) {
  if (text === '') return <p class="empty">The file is empty.</p>
  const rest = text.length - maxShownChars
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0}>
      {text.slice(0, maxShownChars)}
      {rest > 0 && `\n… ${rest.toLocaleString('en')} more characters`}
    </pre>
  )
}

/** An address of the bytes, given up with the component. */
function useObjectUrl(content: Content, bytes: Uint8Array<ArrayBuffer>, type: string): string {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content.text, content.blob, type])
  return url
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
}
