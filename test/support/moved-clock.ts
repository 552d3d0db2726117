/** Preloaded into a server: SIGUSR2 moves its clock back by two days, SIGWINCH forward by four days. */
const RealDate = Date
const DAY_MS = 86_400_000
let offsetMs = 0

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[]) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + offsetMs] : given) as object,
  get: (target, name) => (name === 'now' ? () => RealDate.now() + offsetMs : (Reflect.get(target, name) as unknown)),
})

process.on('SIGUSR2', () => (offsetMs -= 2 * DAY_MS))
process.on('SIGWINCH', () => (offsetMs += 4 * DAY_MS))
