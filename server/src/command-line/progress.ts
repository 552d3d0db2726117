import { SingleBar } from 'cli-progress'

/** Tells on standard error how far a long command is: a bar on a terminal, a line now and then elsewhere. */
export interface Progress {
  /** `done` counts units; `share` of the whole is from 0 to 1, or undefined where the whole is unknown. */
  update(done: number, share: number | undefined): void
  /** Prints a line beside the progress. */
  note(line: string): void
  stop(): void
}

const LINE_EVERY_MS = 5_000
const STEPS = 1_000

/** Progress in `unit`, such as `rows`. Nothing but notes when it is to be quiet. */
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
    // Commands have their own way to end in good order.
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

/** Prints a line on standard error, in the place of a bar that may be there. */
export function printLine(line: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001B[2K' : ''}${line}\n`)
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
