import type { Shipment } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

type Opened = 'ship' | 'deliver' | 'cancel'

/** What a shipment is called: by its reference, or else its id. */
export const nameOfShipment = ({ id, reference }: Shipment): string => reference ?? String(id)

/** What can be done with a shipment. The server decides; only what never can be is disabled. `isQuiet`: in a row of a table. */
export function ShipmentActions({ shipment, isQuiet = false }: { shipment: Shipment; isQuiet?: boolean }) {
  const [opened, setOpened] = useState<Opened>()
  const { state } = shipment
  const name = nameOfShipment(shipment)
  const onClose = () => setOpened(undefined)
  const props = (does: Opened, label: string, isDisabled: boolean) => ({
    ...(isQuiet ? { kind: 'quiet' as const, 'aria-label': label } : {}),
    scope: 'write:orders' as const,
    isDisabled,
    onPress: () => setOpened(does),
  })
  return (
    <>
      <Button kind="primary" {...props('ship', t.shipments.shipOne(name), state !== 'open' || shipment.packages.length === 0)}>
        {t.shipments.ship}
      </Button>
      <Button {...props('deliver', t.shipments.deliverOne(name), state !== 'shipped')}>{t.shipments.deliver}</Button>
      <Button kind="bad" {...props('cancel', t.shipments.cancelOne(name), state !== 'open' && state !== 'shipped')}>
        {t.shipments.cancel}
      </Button>
      {opened === 'cancel' && <Cancel shipment={shipment} onClose={onClose} />}
      {(opened === 'ship' || opened === 'deliver') && <Advance shipment={shipment} does={opened} onClose={onClose} />}
    </>
  )
}

interface Props {
  shipment: Shipment
  onClose: () => void
}

const ADVANCES = {
  ship: { name: t.shipments.ship, act: t.shipments.shipOne, note: t.shipments.shipText, done: t.shipments.shipped },
  deliver: {
    name: t.shipments.deliver,
    act: t.shipments.deliverOne,
    note: t.shipments.deliverText,
    done: t.shipments.delivered,
  },
}

function Advance({ shipment, does, onClose }: Props & { does: keyof typeof ADVANCES }) {
  const name = nameOfShipment(shipment)
  const texts = ADVANCES[does]
  return (
    <WriteDialog
      title={texts.name}
      act={texts.act(name)}
      scope="write:orders"
      kind="primary"
      note={texts.note}
      input={shipment.id}
      write={(api, id, options) => api.shipments[does](id, options)}
      done={() => texts.done(name)}
      onClose={onClose}
    />
  )
}

function Cancel({ shipment, onClose }: Props) {
  const [reason, setReason] = useState('')
  const name = nameOfShipment(shipment)
  return (
    <WriteDialog
      title={t.shipments.cancel}
      act={t.shipments.cancelOne(name)}
      scope="write:orders"
      input={reason === '' ? {} : { reason }}
      write={(api, input, options) => api.shipments.cancel(shipment.id, input, options)}
      done={() => t.shipments.cancelled(name)}
      onClose={onClose}
    >
      <p>{t.shipments.cancelText}</p>
      <Field label={t.orders.reason} name="reason" maxLength={1000} size="wide" value={reason} onChange={setReason} autoFocus />
    </WriteDialog>
  )
}
