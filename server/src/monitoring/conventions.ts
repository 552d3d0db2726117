/** What the names of all metrics of the service begin with. */
export const PREFIX = 'fulfillment_'

/** Upper limits of the buckets of durations, in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
