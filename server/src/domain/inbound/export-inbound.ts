import { jsonWithLines } from '../receiving/index.ts'
import { exportedRecords } from '../records/index.ts'
import { INBOUND } from './inbound-kind.ts'
import { inbound, inboundLine, listInboundInput } from './schemas.ts'

/** Deliveries with their lines, newest first. */
export const exportedInbound = exportedRecords({
  name: 'inbound',
  scope: 'read:stock',
  query: listInboundInput,
  table: INBOUND.tables.records,
  filters: INBOUND.filters,
  lineCount: 'r.line_count',
  json: jsonWithLines(INBOUND),
  schemas: { record: inbound, line: inboundLine },
})
