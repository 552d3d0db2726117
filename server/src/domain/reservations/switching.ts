/** A tenant whose reserving was turned on or off. */
export interface Switching {
  tenantId: number
  /** Of this many times, this is the latest. */
  switches: number
}

/** Waits as long as the last piece of work took. False when the work ends: reserving was switched again, or the process stops. */
export type Pause = (startedAt: number) => Promise<boolean>
