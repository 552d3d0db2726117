import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Screen, Section } from '../../kit/screen.tsx'
import { Table } from '../../kit/table.tsx'
import { Value } from '../../kit/time.tsx'
import { EditRecord } from '../../receiving/edit-record.tsx'
import { DELIVERIES, isOver } from '../../receiving/kind.ts'
import { lineColumns } from '../../receiving/line-columns.tsx'
import { Receipts } from '../../receiving/receipts.tsx'
import { ReceivingState } from '../../receiving/receiving-state.tsx'
import { RecordActions } from '../../receiving/record-actions.tsx'
import { RecordFacts } from '../../receiving/record-facts.tsx'
import { ReceiveDelivery } from './receive-delivery.tsx'

/** One delivery: what is expected, what came, and its receipts. */
export function InboundRecordScreen() {
  const { id } = useParams({ from: '/frame/inbound/$id' })
  const query = useRead(['inbound record', id], (api, options) => api.inbound.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: (delivery) => !isOver(delivery),
  })
  const [isEditing, setEditing] = useState(false)
  const delivery = query.data
  return (
    <Screen
      title={t.inbound.one(delivery?.reference ?? id)}
      mark={delivery && <ReceivingState state={delivery.state} />}
      actions={
        delivery && (
          <RecordActions kind={DELIVERIES} record={delivery} onEdit={() => setEditing(true)} Receive={ReceiveDelivery} />
        )
      }
    >
      <Region query={query} missing={t.inbound.missing(id)}>
        {(loaded) => (
          <>
            {isEditing ? (
              <EditRecord kind={DELIVERIES} record={loaded} onClose={() => setEditing(false)} />
            ) : (
              <RecordFacts record={loaded} own={[{ name: t.inbound.supplier, value: <Value text={loaded.supplier} /> }]} />
            )}
            <Section title={t.orders.linesTitle}>
              <Table caption={t.orders.linesTitle} columns={COLUMNS} rows={loaded.lines} rowKey={(line) => line.id} />
            </Section>
            <Receipts kind={DELIVERIES} record={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const COLUMNS = lineColumns()
