import { SingleBar } from 'cli-progress'
import { printable } from './printable.ts'

/** Shows the progress of a long command on standard error: a bar on a terminal, otherwise a line at intervals. */
export interface Progress {
  /** `done` is the number of units done. `share` is the part of the total, from 0 to 1; undefined when the total is unknown. */
  update(done: number, share: number | undefined): void
  /** Prints a line without damaging the progress bar. */
  note(line: string): void
  stop(): void
}

const LINE_EVERY_MS = 5_000
const STEPS = 1_000

/** Starts to show the progress in `unit`, such as `rows`. With `quiet`, only notes are printed. */
export function startProgress(unit: string, { quiet }: { quiet?: boolean }): Progress {
  if (quiet === true) return { update: () => {}, note: printLine, stop: () => {} }
  const startedAt = performance.now()
  const describe = (done: number, share: number | undefined): string => {
    const seconds = (performance.now() - startedAt) / 1_000
    const rate = seconds > 0 ? Math.round(done / seconds) : 0
    const left = share !== undefined && share > 0 ? `, ${formatSeconds((seconds * (1 - share)) / share)} left` : ''
    return `${done.toLocaleString('en')} ${unit}, ${rate.toLocaleString('en')}/s${left}`
  }
  return process.stderr.isTTY ? bar(describe) : lines(describe)
}

type Describe = (done: number, share: number | undefined) => string

function bar(describe: Describe): Progress {
  const single = new SingleBar({
    format: '{bar} {percentage}% | {text}',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
    // Commands handle Ctrl-C themselves.
    gracefulExit: false,
  })
  single.start(STEPS, 0, { text: '' })
  return {
    update: (done, share) => single.update(Math.floor((share ?? 0) * STEPS), { text: describe(done, share) }),
    note: printLine,
    stop: () => single.stop(),
  }
}

function lines(describe: Describe): Progress {
  let printedAt = performance.now()
  return {
    update: (done, share) => {
      if (performance.now() - printedAt < LINE_EVERY_MS) return
      printedAt = performance.now()
      printLine(describe(done, share))
    },
    note: printLine,
    stop: () => {},
  }
}

/** Prints a line on standard error. On a terminal it first clears the line, which may show a progress bar. */
export function printLine(line: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001B[2K' : ''}${printable(line)}\n`)
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
