import type { PickingFlowDetails } from '@fulfillment/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { FlowProgress, FlowState } from './flow-cells.tsx'
import { FlowLines } from './flow-lines.tsx'
import { FlowPicks } from './flow-picks.tsx'
import { useFlowDialogs } from './use-flow-dialogs.tsx'

/** One picking flow: its lines, where they lie, and what was picked. */
export function FlowScreen() {
  const { id } = useParams({ from: '/frame/picking/$id' })
  const query = useRead(['flow', id], (api, options) => api.flows.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: ({ state }) => state === 'started',
  })
  const { buttonsOf, dialog } = useFlowDialogs()
  const flow = query.data
  return (
    <Screen
      title={flow === undefined ? t.picking.unknown(id) : t.picking.one(flow.order_tenant_id)}
      mark={flow && <FlowState state={flow.state} />}
      actions={flow?.state === 'started' && buttonsOf(flow)}
    >
      <Region query={query} missing={t.picking.missing(id)}>
        {(loaded) => (
          <>
            <Facts facts={factsOf(loaded)} />
            <Section title={t.picking.lines}>
              <FlowLines lines={loaded.lines} />
            </Section>
            <Section title={t.picking.picks}>
              <FlowPicks flow={loaded} />
            </Section>
          </>
        )}
      </Region>
      {dialog}
    </Screen>
  )
}

const factsOf = (flow: PickingFlowDetails) => [
  {
    name: t.picking.order,
    value: (
      <Link to="/orders/$id" params={{ id: String(flow.order_id) }}>
        {flow.order_tenant_id}
      </Link>
    ),
  },
  ...(flow.batch_id === undefined
    ? []
    : [
        {
          name: t.batches.batch,
          value: (
            <Link to="/picking/batches/$id" params={{ id: String(flow.batch_id) }}>
              {t.batches.inSlot(flow.batch_id, flow.slot ?? 0)}
            </Link>
          ),
        },
      ]),
  { name: t.picking.operator, value: flow.operator_email },
  { name: t.picking.progress, value: <FlowProgress flow={flow} /> },
  { name: t.picking.started, value: <Time at={flow.started_at} /> },
  ...(flow.completed_at === null ? [] : [{ name: t.picking.completed, value: <Time at={flow.completed_at} /> }]),
  ...(flow.cancelled_at === null
    ? []
    : [
        { name: t.picking.cancelled, value: <Time at={flow.cancelled_at} /> },
        { name: t.picking.reason, value: <Value text={flow.cancellation_reason} /> },
      ]),
]
