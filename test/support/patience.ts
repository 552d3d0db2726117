const BUSY_MACHINE = 4

/**
 * The longest time that something may take here, when the promise is `promisedMs`: tests share two cores with one another, and at times with
 * something that burns both. A promise that is broken must still fail: what the tests guard against takes longer, or for ever.
 */
export const atMost = (promisedMs: number): number => promisedMs * BUSY_MACHINE
