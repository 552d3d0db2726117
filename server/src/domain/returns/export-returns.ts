import { jsonWithLines } from '../receiving/index.ts'
import { exportedRecords } from '../records/index.ts'
import { RETURN } from './return-kind.ts'
import { returnRecord, returnLine, listReturnsInput } from './schemas.ts'

/** Returns with their lines, newest first. */
export const exportedReturns = exportedRecords({
  name: 'returns',
  scope: 'read:orders',
  query: listReturnsInput,
  table: RETURN.tables.records,
  filters: RETURN.filters,
  lineCount: 'r.line_count',
  json: jsonWithLines(RETURN),
  schemas: { record: returnRecord, line: returnLine },
})
