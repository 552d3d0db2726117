import type { FlowBatch, FlowBatchMissing, FlowBatchSlot, FlowBatchStop } from '@fulfillment/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ProductLink } from '../../kit/record-link.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { nameOfBatch, Shares } from './batch-cells.tsx'
import { FlowState } from './flow-cells.tsx'
import { useBatchDialogs } from './use-batch-dialogs.tsx'

/** One batch: its slots, the way through the warehouse, and what is missing. */
export function BatchScreen() {
  const { id } = useParams({ from: '/frame/picking/batches/$id' })
  const query = useRead(['flow', 'batch', id], (api, options) => api.flowBatches.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: ({ state }) => state === 'started',
  })
  const { buttonsOf, dialog } = useBatchDialogs()
  const batch = query.data
  return (
    <Screen
      title={t.batches.one(batch === undefined ? id : nameOfBatch(batch))}
      mark={batch && <FlowState state={batch.state} />}
      actions={batch?.state === 'started' && buttonsOf(batch)}
    >
      <Region query={query} missing={t.batches.missingRecord(id)}>
        {(loaded) => (
          <>
            <BatchFacts batch={loaded} />
            <Section title={t.batches.slots}>
              <Table caption={t.batches.slots} columns={SLOTS} rows={loaded.slots} rowKey={({ slot }) => slot} />
            </Section>
            {loaded.state === 'started' && <Stops batch={loaded} />}
          </>
        )}
      </Region>
      {dialog}
    </Screen>
  )
}

function BatchFacts({ batch }: { batch: FlowBatch }) {
  const { nameOf } = useWarehouses()
  return (
    <Facts
      facts={[
        { name: t.picking.operator, value: batch.operator_email },
        { name: t.locations.warehouse, value: nameOf(batch.warehouse_id) },
        { name: t.picking.started, value: <Time at={batch.created_at} /> },
        ...(batch.ended_at === null ? [] : [{ name: t.batches.ended, value: <Time at={batch.ended_at} /> }]),
      ]}
    />
  )
}

/** What is still to be picked, and what of it is nowhere. */
function Stops({ batch: { stops, missing } }: { batch: FlowBatch }) {
  return (
    <>
      <Section title={t.batches.stops}>
        {stops.length === 0 ? (
          <Empty text={t.batches.noStops} />
        ) : (
          <Table
            caption={t.batches.stops}
            columns={STOPS}
            rows={stops}
            rowKey={({ location_id, product_id }) => `${product_id} ${location_id}`}
          />
        )}
      </Section>
      {missing.length > 0 && (
        <Section title={t.batches.missing}>
          <Table caption={t.batches.missing} columns={MISSING} rows={missing} rowKey={({ product_id }) => product_id} />
        </Section>
      )}
    </>
  )
}

const SLOTS: Column<FlowBatchSlot>[] = [
  { id: 'slot', header: t.batches.slot, isNumber: true, cell: ({ slot }) => slot },
  {
    id: 'order',
    header: t.picking.order,
    isWide: true,
    cell: ({ flow_id, order_tenant_id }) => (
      <Link to="/picking/$id" params={{ id: String(flow_id) }}>
        {order_tenant_id}
      </Link>
    ),
  },
  { id: 'state', header: t.picking.state, cell: ({ state }) => <FlowState state={state} /> },
  {
    id: 'lines',
    header: t.batches.pickedLines,
    cell: ({ items_picked, items_to_pick }) => t.picking.of(formatNumber(items_picked), formatNumber(items_to_pick)),
  },
]

const STOPS: Column<FlowBatchStop>[] = [
  { id: 'location', header: t.batches.location, cell: ({ location_code }) => location_code },
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => <ProductLink id={product_id}>{product_name}</ProductLink>,
  },
  { id: 'quantity', header: t.picking.remaining, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'slots', header: t.batches.slots, isWide: true, cell: ({ slots }) => <Shares slots={slots} /> },
]

const MISSING: Column<FlowBatchMissing>[] = [
  {
    id: 'product',
    header: t.orders.product,
    cell: ({ product_id }) => <ProductLink id={product_id}>{t.batches.product(product_id)}</ProductLink>,
  },
  { id: 'quantity', header: t.batches.lacking, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'slots', header: t.batches.slots, isWide: true, cell: ({ slots }) => <Shares slots={slots} /> },
]
