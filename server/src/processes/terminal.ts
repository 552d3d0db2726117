import { closeSync, openSync } from 'node:fs'

/** The terminal that the program was started from, if there is one. */
export function terminalOf(): { wasClosed(): boolean } {
  const hadTerminal = hasTerminal()
  return { wasClosed: () => hadTerminal && !hasTerminal() }
}

/** `/dev/tty` can be opened only while the process has a terminal. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
