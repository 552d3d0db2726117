import { slice } from '../../procedures/slice.ts'
import { addEntry } from './add-entry.ts'
import { approveCount } from './approve-count.ts'
import { cancelCount } from './cancel-count.ts'
import { countUpdated } from './count-topics.ts'
import { createCount } from './create-count.ts'
import { exportedCounts } from './export-counts.ts'
import { getCount } from './get-count.ts'
import { listCounts } from './list-counts.ts'
import { reopenCount } from './reopen-count.ts'
import { submitCount } from './submit-count.ts'

/** Counts of stock. */
export const stockCounts = slice({
  tags: [{ name: 'counts', description: 'Counts of stock at locations. Approval posts the differences.' }],
  endpoints: [createCount, listCounts, getCount, addEntry, submitCount, reopenCount, approveCount, cancelCount],
  topics: [countUpdated],
  exports: [exportedCounts],
})
