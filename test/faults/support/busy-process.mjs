// Preloaded into a server: makes its event loop, or the threads of libuv, busy when it is told to.
import { open } from 'node:fs'

/** Longer than the database may be silent, with a moment between in which answers are read. */
const BUSY_MS = [1_000, 1_100, 1_250, 1_500, 1_050, 1_400]
const THREADS = 4

process.on('SIGUSR2', () => {
  let round = 0
  const busy = () => {
    const until = performance.now() + BUSY_MS[round]
    while (performance.now() < until);
    if (++round < BUSY_MS.length) setTimeout(busy, 5)
  }
  busy()
})

// To open a pipe that nobody writes to takes a thread until somebody does.
process.on('SIGHUP', () => {
  for (let thread = 0; thread < THREADS; thread++) open(process.env.BLOCKING_PIPE, 'r', () => {})
})
