import type { Hold, HoldLine } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { Badge, type BadgeKind } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { OrderLink, ReservationsLink } from '../../kit/record-link.tsx'
import { TimeUntil } from '../../kit/relative-time.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Time } from '../../kit/time.tsx'

const KINDS: Record<Hold['state'], BadgeKind> = { active: 'ok', consumed: 'state5', released: 'muted', expired: 'muted' }

/** What is shown of a hold. `warehouseOf` gives the name of a warehouse; `release` asks whether to release the hold. */
export const holdColumns = (warehouseOf: (id: number) => string, release: (hold: Hold) => void): Column<Hold>[] => [
  { id: 'reference', header: t.holds.reference, isWide: true, cell: (hold) => <Reference hold={hold} /> },
  { id: 'state', header: t.holds.state, cell: ({ state }) => <Badge kind={KINDS[state]}>{t.holds.states[state]}</Badge> },
  { id: 'lines', header: t.holds.keeps, isWide: true, cell: (hold) => hold.lines.map((line) => lineOf(hold, line)).join(', ') },
  { id: 'warehouse', header: t.locations.warehouse, isTight: true, cell: ({ warehouse_id }) => warehouseOf(warehouse_id) },
  {
    id: 'expires',
    header: t.reservations.expires,
    isTight: true,
    cell: ({ state, expires_at }) => (state === 'active' ? <TimeUntil at={expires_at} /> : <Time at={expires_at} />),
  },
  {
    id: 'order',
    header: t.holds.order,
    isNumber: true,
    cell: ({ order_id }) => (order_id === null ? <None /> : <OrderLink id={order_id}>{order_id}</OrderLink>),
  },
  { id: 'by', header: t.holds.createdBy, isTight: true, cell: ({ created_by }) => created_by },
  { id: 'created', header: t.holds.created, isTight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: (hold) =>
      hold.state === 'active' ? (
        <Button kind="quiet" scope="write:orders" aria-label={t.holds.releaseOne(hold.reference)} onPress={() => release(hold)}>
          {t.holds.release}
        </Button>
      ) : (
        <None />
      ),
  },
]

/** Leads to what it has reserved, while it has. */
function Reference({ hold: { id, reference, state } }: { hold: Hold }) {
  return state === 'active' ? <ReservationsLink of={{ hold_id: id }}>{reference}</ReservationsLink> : reference
}

/** What of a line is kept, once others had to have a part of it. */
function lineOf({ state }: Hold, { product_name, quantity, reserved_quantity }: HoldLine): string {
  return state === 'active' && reserved_quantity < quantity
    ? t.holds.partOfLine(reserved_quantity, quantity, product_name)
    : t.holds.line(quantity, product_name)
}
