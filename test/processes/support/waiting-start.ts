// Preloaded into the processes of a server: the second and the third process with the number 1 wait before they start until the test lets them. A process
// that is not killed leaves its exit code.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const { PROCESS_NUMBER, STARTS_FOLDER = '' } = process.env

/** The number of this start of the process: the first file that is not there yet. */
function countStart(): number {
  for (let start = 1; ; start++) {
    try {
      writeFileSync(path.join(STARTS_FOLDER, `start-${start}`), String(process.pid), { flag: 'wx' })
      return start
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

if (PROCESS_NUMBER === '1') {
  const start = countStart()
  process.on('exit', (code) => writeFileSync(path.join(STARTS_FOLDER, `end-${start}`), String(code)))
  const isWaiting = (): boolean => start > 1 && !existsSync(path.join(STARTS_FOLDER, `go-${start}`))
  while (isWaiting()) await delay(10)
}
