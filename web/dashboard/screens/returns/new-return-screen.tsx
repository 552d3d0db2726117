import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Field } from '../../kit/field.tsx'
import { OrderLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen } from '../../kit/screen.tsx'
import type { NewLine } from '../../kit/lines-input.tsx'
import { AnnounceRecord } from '../../receiving/announce-record.tsx'
import { RETURNS } from '../../receiving/kind.ts'
import { readReturnable } from './returnable-lines.ts'

/** Announces a return: of the order in the address with what can come back of it, of another, or of none. */
export function NewReturnScreen() {
  const { order } = useSearch({ from: '/frame/returns/new' })
  return (
    <Screen title={t.returns.new} hasCurl={false}>
      {order === undefined ? <OfAnyOrder /> : <OfOrder key={order} id={order} />}
    </Screen>
  )
}

function OfAnyOrder() {
  const [order, setOrder] = useState('')
  return (
    <NewReturn ownInput={order === '' ? {} : { order_tenant_id: order }}>
      <Field
        label={t.orders.identifier}
        name="order_tenant_id"
        maxLength={255}
        hint={t.returns.orderHint}
        value={order}
        onChange={setOrder}
      />
    </NewReturn>
  )
}

function OfOrder({ id }: { id: number }) {
  // Read anew at each visit: the lines begin with it, and what is read later does not change them.
  const [openedAt] = useState(() => Date.now())
  const query = useRead(['returnable', id, openedAt], (api, options) => readReturnable(api, id, options), {
    keep: false,
    isFinal: true,
  })
  return (
    <Region query={query} missing={t.orders.missing(String(id))}>
      {({ order, lines }) => (
        <NewReturn ownInput={{ order_id: id }} lines={lines}>
          <Facts facts={[{ name: t.returns.order, value: <OrderLink id={id}>{order.order_tenant_id}</OrderLink> }]} />
          {lines.length === 0 && <p>{t.returns.nothingTaken}</p>}
        </NewReturn>
      )}
    </Region>
  )
}

interface NewReturnProps {
  ownInput: { order_id?: number; order_tenant_id?: string }
  lines?: readonly NewLine[]
  children: ReactNode
}

function NewReturn({ ownInput, lines, children }: NewReturnProps) {
  const navigate = useNavigate()
  return (
    <AnnounceRecord
      kind={RETURNS}
      defaultWarehouse={t.returns.defaultWarehouse}
      {...(lines === undefined ? {} : { initialLines: lines })}
      ownInput={ownInput}
      create={(api, input, options) => api.returns.create(input, options)}
      onCreated={({ id }) => void navigate({ to: '/returns/$id', params: { id: String(id) } })}
    >
      {children}
    </AnnounceRecord>
  )
}
