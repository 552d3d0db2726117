/**
 * Preloaded into a server. On SIGUSR2 it prints the processor time of the longest round of the event loop since the previous signal, in
 * milliseconds. Unlike elapsed time, processor time does not grow when other processes compete for the processor.
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
