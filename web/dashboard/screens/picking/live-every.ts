/** How often the lists of picking are read: what happens on a device is on the screen within four seconds. */
export const LIVE_EVERY_MS = 3_000
