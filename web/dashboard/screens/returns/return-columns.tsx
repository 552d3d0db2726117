import type { ReturnLine, ReturnSummary } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import type { Column } from '../../kit/table.tsx'
import { Value } from '../../kit/time.tsx'
import { lineColumns } from '../../receiving/line-columns.tsx'

/** A return by its id, as a link to its screen. */
export const RETURN_LINK: Column<ReturnSummary> = {
  id: 'id',
  header: t.orders.id,
  isNumber: true,
  cell: ({ id }) => (
    <Link to="/returns/$id" params={{ id: String(id) }}>
      {id}
    </Link>
  ),
}

/** The columns of the lines of a return: where what came back has gone. */
export const RETURN_LINE_COLUMNS = lineColumns<ReturnLine>([
  {
    id: 'restocked',
    header: t.returns.restocked,
    isNumber: true,
    cell: ({ restocked_quantity }) => formatNumber(restocked_quantity),
  },
  {
    id: 'quarantined',
    header: t.returns.quarantined,
    isNumber: true,
    cell: ({ quarantined_quantity }) => formatNumber(quarantined_quantity),
  },
  {
    id: 'scrapped',
    header: t.returns.scrapped,
    isNumber: true,
    cell: ({ scrapped_quantity }) => formatNumber(scrapped_quantity),
  },
  { id: 'reason', header: t.returns.reason, isWide: true, cell: ({ reason }) => <Value text={reason} /> },
])
