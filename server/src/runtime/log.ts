import fs from 'node:fs'
import { pino, type Logger as Log } from 'pino'

export type { Log }

const BUFFER_BYTES = 16_000
/** Writes of up to this size to the same pipe are never interleaved (PIPE_BUF). */
const MAX_SHARED_WRITE_BYTES = 4_096
const SHARED_BUFFER_BYTES = 4_000
const FLUSH_MS = 200
/** Of lines that wait until the output can be written. Later ones are dropped. */
const MAX_WAITING_BYTES = 8_000_000
const LAST_WRITE_MS = 1_000
const MAX_CAUSES = 5

/**
 * The program's log: one JSON object per line, on standard output. It never contains headers or bodies. Of errors only the fields named
 * here are logged, because others contain data: Postgres's `detail` has whole rows, the HTTP parser's `rawPacket` the request with its key.
 * `isShared`: other processes write to the same output.
 */
export function createLog(level: string, { isShared = false } = {}): Log {
  // The output's timer would go on for ever.
  if (level === 'silent') return pino({ level })
  // Lines are buffered: writing each line alone takes a tenth of the time of a small request.
  const buffer = isShared ? { minLength: SHARED_BUFFER_BYTES, maxWrite: MAX_SHARED_WRITE_BYTES } : { minLength: BUFFER_BYTES }
  const output = pino.destination({ dest: 1, sync: false, periodicFlush: FLUSH_MS, maxLength: MAX_WAITING_BYTES, ...buffer })
  const log = pino({ level, serializers: { err: describeError } }, output)
  surviveFailures(output, log)
  return log
}

/**
 * Lets the process go on without its log while nobody reads the output, or its disk is full. Standard error says so, once until the output is written
 * again, and then the log has the number of lines that it lacks.
 */
function surviveFailures(output: ReturnType<typeof pino.destination>, log: Log): void {
  let dropped = 0
  let isFailing = false
  output.on('drop', () => {
    dropped += 1
    if (dropped === 1) console.error('Log lines are dropped: standard output is not written in time')
  })
  output.on('error', ({ message }: Error) => {
    if (!isFailing) console.error(`The log cannot be written: ${message}`)
    isFailing = true
  })
  output.on('write', () => (isFailing = false))
  output.on('drain', () => {
    if (dropped > 0) log.warn({ lines: dropped }, 'log lines were dropped')
    dropped = 0
  })
  const flushSync = output.flushSync.bind(output)
  output.flushSync = () => givingUp(flushSync)
}

/**
 * Runs the last write of a process that exits. The library repeats one that fails, and the process would never end. Here, what cannot be written is given
 * up: at once when the disk is full, after a second when nobody reads.
 */
function givingUp(flush: () => void): void {
  const { writeSync } = fs
  const endsAt = performance.now() + LAST_WRITE_MS
  // The library has no other place to hear of the error.
  fs.writeSync = (fd: number, text: string | NodeJS.ArrayBufferView) => {
    try {
      return writeSync(fd, text as string)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && performance.now() < endsAt) throw error
      return Buffer.byteLength(text)
    }
  }
  try {
    flush()
  } finally {
    fs.writeSync = writeSync
  }
}

interface ErrorDescription {
  type: string
  message: string
  stack?: string
  code?: unknown
  constraint?: unknown
  routine?: unknown
  cause?: ErrorDescription
}

function describeError(error: unknown, causes = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' }
  const { name, message, stack, cause, code, constraint, routine } = error as Error & Partial<ErrorDescription>
  const description = { type: name, message, stack, code, constraint, routine }
  return cause === undefined || causes === MAX_CAUSES ? description : { ...description, cause: describeError(cause, causes + 1) }
}
