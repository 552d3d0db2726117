import type { QueuedOrder } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { localToday } from '../../../shared/local-today.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { OrderState } from '../../kit/order-state.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Day, Value } from '../../kit/time.tsx'

const LIMIT = 50

/** Orders that wait to be picked, the most urgent first. While the pointer is over them, new ones wait until they are asked for. */
export function ReadyOrders() {
  const { ready: page = 1 } = useSearch({ from: '/frame/picking' })
  const navigate = useNavigate({ from: '/picking' })
  const query = useRead(['queue', page], (api, options) => api.flows.queue({ page, limit: LIMIT }, options))
  return (
    <Section title={t.picking.ready}>
      <PagedTable
        query={query}
        caption={t.picking.ready}
        columns={COLUMNS}
        rowsOf={({ orders }) => orders}
        rowKey={({ order_id }) => order_id}
        news={{ list: String(page), text: t.orders.more }}
        total={t.orders.total}
        empty={<Empty text={t.picking.nothingReady} />}
        isOneOfSeveral
        page={page}
        onPage={(ready) => void navigate({ search: (before) => ({ ...before, ready }) })}
      />
    </Section>
  )
}

const COLUMNS: Column<QueuedOrder>[] = [
  {
    id: 'order',
    header: t.picking.order,
    isWide: true,
    cell: ({ order_id, order_tenant_id }) => (
      <Link to="/orders/$id" params={{ id: String(order_id) }}>
        {order_tenant_id}
      </Link>
    ),
  },
  { id: 'date', header: t.orders.assemblyDate, cell: ({ assembly_date }) => <DueDay date={assembly_date} /> },
  { id: 'customer', header: t.orders.customer, isWide: true, cell: ({ customer_name }) => <Value text={customer_name} /> },
  { id: 'state', header: t.orders.state, cell: ({ state_id }) => <OrderState id={state_id} /> },
  { id: 'lines', header: t.picking.openLines, isNumber: true, cell: ({ open_lines }) => formatNumber(open_lines) },
  { id: 'quantity', header: t.picking.openQuantity, isNumber: true, cell: ({ open_quantity }) => formatNumber(open_quantity) },
]

/** A day, marked when it is past. */
function DueDay({ date }: { date: string }) {
  const isOverdue = date < localToday()
  return (
    <span>
      <Day date={date} /> {isOverdue && <Badge kind="bad">{t.picking.overdue}</Badge>}
    </span>
  )
}
