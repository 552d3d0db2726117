/** A tenant whose reserving was turned on or off. */
export interface Switching {
  tenantId: number
  /** Of this many times, this is the latest. */
  switches: number
  /** Until when the phase is this process's: by it the work knows that no other has taken over. Another one each time that it is renewed. */
  lease: string
}

/**
 * Waits as long as the last piece of work took. False when the work ends: reserving was switched again, another process has taken over, or this one
 * stops.
 */
export type Pause = (startedAt: number) => Promise<boolean>
