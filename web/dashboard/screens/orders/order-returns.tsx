import type { Order, ReturnSummary } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ButtonLink } from '../../kit/link.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { RECEIVED_COLUMNS } from '../../receiving/line-columns.tsx'
import { ReceivingState } from '../../receiving/receiving-state.tsx'
import { RETURN_LINK } from '../returns/return-columns.tsx'

const LIMIT = 20

/** What came back of an order for which something was taken, and the way to a new return. */
export function OrderReturns({ order: { id } }: { order: Order }) {
  const query = useRead(['returns', 'order', id], (api, options) => api.returns.list({ order_id: id, limit: LIMIT }, options))
  return (
    <Section
      title={t.nav.returns}
      actions={
        <ButtonLink to="/returns/new" search={{ order: id }} scope="write:orders">
          {t.returns.ofOrder}
        </ButtonLink>
      }
    >
      <Region query={query} rows={2}>
        {({ returns, pagination: { total } }) =>
          total === 0 ? (
            <p>{t.returns.noneOfOrder}</p>
          ) : (
            <>
              <Table caption={t.nav.returns} columns={COLUMNS} rows={returns} rowKey={(record) => record.id} />
              <p>{t.returns.last(returns.length, total)}</p>
            </>
          )
        }
      </Region>
    </Section>
  )
}

const COLUMNS: Column<ReturnSummary>[] = [
  RETURN_LINK,
  { id: 'reference', header: t.receiving.reference, isWide: true, cell: ({ reference }) => <Value text={reference} /> },
  { id: 'state', header: t.orders.state, cell: ({ state }) => <ReceivingState state={state} /> },
  ...RECEIVED_COLUMNS,
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
