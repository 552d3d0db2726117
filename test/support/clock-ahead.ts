// Preloaded into a server process: sets its clock 400 days ahead.
const AHEAD_MS = 400 * 86_400_000
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, self) =>
    Reflect.construct(target, values.length === 0 ? [RealDate.now() + AHEAD_MS] : values, self) as object,
  get: (target, name, self) => (name === 'now' ? () => RealDate.now() + AHEAD_MS : Reflect.get(target, name, self)),
})
