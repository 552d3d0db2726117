// Preloaded into a server: signals make its event loop, or the threads of libuv, busy.
import { open } from 'node:fs'

/** Each block is longer than the database may be silent. Between two blocks there is a moment to read responses. */
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

// Opening a pipe for reading blocks a thread until a writer opens it.
process.on('SIGHUP', () => {
  for (let thread = 0; thread < THREADS; thread++) open(process.env.BLOCKING_PIPE, 'r', () => {})
})
