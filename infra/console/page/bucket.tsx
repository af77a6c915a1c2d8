/**
 * The token bucket of the caller's server, as it drains and refills, and a button that drains it.
 */
import { useEffect, useState } from 'preact/hooks'
import { loadLevel } from './desk.ts'
import { frame, send } from './exchange.ts'
import { type Caller, ErrorAnswer, type Level } from './wire.ts'

const pollMs = { moving: 200, full: 1_000 }
const parallelCalls = 6
const drainLimitMs = 30_000

/** The meter and what a burst came to. */
export function Bucket({ caller }: { caller: Caller }) {
  const [level, setLevel] = useState<Level>()
  const [report, setReport] = useState('')
  const [busy, setBusy] = useState(false)
  useLevel(caller, setLevel)

  async function drain() {
    setBusy(true)
    setReport('Sending calls…')
    setReport(await sendUntilRefused(caller))
    setBusy(false)
  }

  if (!level) return <section class="bucket" aria-label="Token bucket" />
  const { tokens, perSecond, burst: size } = level
  return (
    <section class="bucket" aria-label="Token bucket">
      <div class="bucket-line">
        <span>
          <strong>{tokens.toLocaleString('en')}</strong> of {size.toLocaleString('en')} tokens, +{perSecond}/s
        </span>
        <button type="button" disabled={busy} onClick={drain} title="Sends calls until the bucket is empty">
          Drain
        </button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: every browser draws its own meter element, and hardly to style */}
      <div
        class="meter"
        role="meter"
        aria-label="Tokens left"
        aria-valuemin={0}
        aria-valuemax={size}
        aria-valuenow={tokens}
        data-low={tokens < size / 10}
      >
        <div style={{ width: `${(100 * tokens) / size}%` }} />
      </div>
      <p class="note" aria-live="polite">
        {report || `One bucket for server ${caller.server} in workspace ${caller.workspace}`}
      </p>
    </section>
  )
}

/** Asks how full the bucket is: often while it moves, now and then while it is full, never in a hidden tab. */
function useLevel(caller: Caller, onLevel: (level: Level) => void): void {
  useEffect(() => {
    let timer = 0
    let stopped = false
    const poll = async () => {
      const level = document.hidden ? undefined : await loadLevel(caller).catch(() => undefined)
      if (stopped) return
      if (level) onLevel(level)
      const moving = level !== undefined && level.tokens < level.burst
      timer = setTimeout(poll, moving ? pollMs.moving : pollMs.full)
    }
    void poll()
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [caller])
}

/** Sends calls as fast as the browser lets until one is refused, and says how many it took. */
async function sendUntilRefused(caller: Caller): Promise<string> {
  const started = performance.now()
  const elapsedMs = () => performance.now() - started
  let calls = 0
  let refused = false
  async function worker() {
    while (!refused && elapsedMs() < drainLimitMs) {
      calls += 1
      const { json } = await send(caller, frame('read', { uri: 'files://drain' }))
      const answer = ErrorAnswer.safeParse(json)
      refused ||= answer.success && answer.data.error.code === -32004
    }
  }
  await Promise.all(Array.from({ length: parallelCalls }, worker))
  const sent = `${calls.toLocaleString('en')} calls in ${(elapsedMs() / 1_000).toFixed(1)} s`
  return refused ? `${sent}, then rate limited` : `${sent}, and still tokens left`
}
