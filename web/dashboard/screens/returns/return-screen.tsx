import type { Return } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { OrderLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { Screen, Section } from '../../kit/screen.tsx'
import { Table } from '../../kit/table.tsx'
import { None, Value } from '../../kit/time.tsx'
import { EditRecord } from '../../receiving/edit-record.tsx'
import { isOver, RETURNS } from '../../receiving/kind.ts'
import { Receipts } from '../../receiving/receipts.tsx'
import { ReceivingState } from '../../receiving/receiving-state.tsx'
import { RecordActions } from '../../receiving/record-actions.tsx'
import { RecordFacts } from '../../receiving/record-facts.tsx'
import { ReceiveReturn } from './receive-return.tsx'
import { RETURN_LINE_COLUMNS } from './return-columns.tsx'

/** One return: what is to come back, what did and where it went, and its receipts. */
export function ReturnScreen() {
  const { id } = useParams({ from: '/frame/returns/$id' })
  const query = useRead(['return', id], (api, options) => api.returns.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: (record) => !isOver(record),
  })
  const [isEditing, setEditing] = useState(false)
  const record = query.data
  return (
    <Screen
      title={t.returns.one(record?.reference ?? id)}
      mark={record && <ReceivingState state={record.state} />}
      actions={record && <RecordActions kind={RETURNS} record={record} onEdit={() => setEditing(true)} Receive={ReceiveReturn} />}
    >
      <Region query={query} missing={t.returns.missing(id)}>
        {(loaded) => (
          <>
            {isEditing ? (
              <EditRecord kind={RETURNS} record={loaded} onClose={() => setEditing(false)} />
            ) : (
              <RecordFacts record={loaded} own={ownFacts(loaded)} />
            )}
            <Section title={t.orders.linesTitle}>
              <Table caption={t.orders.linesTitle} columns={RETURN_LINE_COLUMNS} rows={loaded.lines} rowKey={(line) => line.id} />
            </Section>
            <Receipts kind={RETURNS} record={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const ownFacts = ({ order_id, order_tenant_id, reason }: Return) => [
  {
    name: t.returns.order,
    value: order_id === null ? <None /> : <OrderLink id={order_id}>{order_tenant_id}</OrderLink>,
  },
  { name: t.returns.reason, value: <Value text={reason} /> },
]
