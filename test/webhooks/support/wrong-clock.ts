// Preloaded into a program: its clock is wrong by CLOCK_OFFSET_MS, like a wrong clock of the machine.
const offsetMs = Number(process.env.CLOCK_OFFSET_MS)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...values: [] | [number | string | Date]) {
    if (values.length === 0) super(RealDate.now() + offsetMs)
    else super(...values)
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
} as DateConstructor
