import { exportedRecords } from '../records/index.ts'
import { countJson, LINES } from './count-json.ts'
import { COUNT_FILTERS } from './list-counts.ts'
import { count, countLine, listCountsInput } from './schemas.ts'

/** Counts with their lines, newest first. */
export const exportedCounts = exportedRecords({
  name: 'counts',
  scope: 'read:stock',
  query: listCountsInput,
  table: 'stock_counts',
  filters: COUNT_FILTERS,
  lineCount: 'r.lines_total',
  json: countJson(LINES),
  schemas: { record: count, line: countLine },
})
