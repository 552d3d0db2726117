/**
 * Loaded before a server: on each SIGUSR2 it prints for how long one round of the event loop has kept the processor at most since the last one, in
 * milliseconds. Unlike time, that does not grow when other processes want the processor too.
 */
const now = (): number => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process)
  return (user + system) / 1_000
}

let last = now()
let longest = 0
setInterval(() => {
  const at = now()
  longest = Math.max(longest, at - last)
  last = at
}, 1).unref()

process.on('SIGUSR2', () => {
  process.stdout.write(`longest round: ${longest.toFixed(1)} ms\n`)
  longest = 0
  last = now()
})
