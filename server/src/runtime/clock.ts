/** A source of the current time. Tests inject their own. */
export interface Clock {
  now(): Date
}
