const BUSY_MACHINE = 4

/**
 * The time limit in tests for a promised time of `promisedMs`. Tests share two cores with each other, and at times with other processes that
 * keep both busy. A broken promise must still fail the test: the faults under test take longer than this limit, or forever.
 */
export const atMost = (promisedMs: number): number => promisedMs * BUSY_MACHINE
