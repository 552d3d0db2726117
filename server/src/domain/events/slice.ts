import { dailyPartitions } from '../../database/partitions/daily-partitions.ts'
import { measureDaysAhead } from '../../database/partitions/days-ahead.ts'
import { EVENT_DAYS_KEPT } from '../../database/retention.ts'
import { slice } from '../../procedures/slice.ts'
import { HOUR_MS } from '../../runtime/periodic.ts'
import { getEvent } from './get-event.ts'
import { listEvents } from './list-events.ts'
import { removeOldOrderEvents } from './remove-old-order-events.ts'

/** The event feed. */
export const events = slice({
  tags: [{ name: 'events', description: 'The feed of all events of the last 30 days.' }],
  endpoints: [listEvents, getEvent],
  partitions: [
    dailyPartitions({
      table: 'events',
      column: 'created_at',
      daysKept: EVENT_DAYS_KEPT,
      // Pending deliveries are deleted before their events.
      dependents: { table: 'waiting_deliveries', column: 'event_created_at' },
    }),
    dailyPartitions({ table: 'finished_deliveries', column: 'event_created_at', daysKept: EVENT_DAYS_KEPT }),
  ],
  metrics: {
    gauges: { partition_days_ahead: 'Days after today for which every table with daily partitions has one.' },
    measure: measureDaysAhead,
  },
  tasks: [{ everyMs: HOUR_MS, run: removeOldOrderEvents }],
})
