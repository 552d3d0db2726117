import { slice } from '../../procedures/slice.ts'
import { getTimeline } from './get-timeline.ts'

/** What happened to an order, from the records and lists of all other slices. */
export const timeline = slice({ tags: [], endpoints: [getTimeline] })
