/**
 * A progress bar with rate and remaining time, on standard error, for people only: a pipe or a log file sees nothing.
 */
import cliProgress, { type Options, type Params } from 'cli-progress'

/** What the total counts. */
export type Unit = 'files' | 'items' | 'bytes'

/** A bar under way. */
export interface Progress {
  /** Shows how far it is, and a few words about it; a value beyond the total raises the total. */
  update(value: number, words?: string): void
  end(): void
}

/** Starts a bar; `total` may be an estimate. */
export function startProgress(what: string, total: number, unit: Unit = 'files'): Progress {
  const startedMs = Date.now()
  const format = (options: Options, { value, total, progress }: Params, payload: { words?: string }) => {
    const bar = cliProgress.Format.BarFormat(progress, options)
    const words = payload.words ? `, ${payload.words}` : ''
    return `${what} ${bar} ${describeProgress(unit, value, total, Date.now() - startedMs)}${words}`
  }
  const style = { format, stream: process.stderr, hideCursor: true, clearOnComplete: true, barsize: 24 }
  const bar = new cliProgress.SingleBar(style, cliProgress.Presets.shades_classic)
  bar.start(total, 0, {})
  return {
    update(value, words = '') {
      if (value > bar.getTotal()) bar.setTotal(value)
      bar.update(value, { words })
    },
    end: () => bar.stop(),
  }
}

/** How far, how fast, and how long it will take: `12.0 of 40.0 MB, 3.0 MB/s, 10 s left`. */
export function describeProgress(unit: Unit, done: number, total: number, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1_000 : 0
  const left = perSecond > 0 ? `, ${formatSeconds((total - done) / perSecond)} left` : ''
  if (unit === 'bytes') return `${mb(done)} of ${mb(total)} MB, ${mb(perSecond)} MB/s${left}`
  return `${count(done)} of ${count(total)} ${unit}, ${count(Math.round(perSecond))}/s${left}`
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function mb(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
