export { EVENT_TIME, eventData, isoTimestamp, jsonText } from './event-data.ts'
export { FeedHorizon } from './feed-horizon.ts'
export { type Pulse, TenantPulse } from './tenant-pulse.ts'
export { recordEvents } from './record-events.ts'
