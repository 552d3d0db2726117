import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { LocationField } from './location-field.tsx'
import { numberOf } from './number-input.ts'
import { useTyped } from './use-typed.ts'
import { WriteDialog } from './write-dialog.tsx'

type Kind = 'set' | 'adjust' | 'transfer'

export interface StockTarget {
  id: number
  name: string
}

/** The changes of a product's stock: set, adjust, transfer. */
export function StockButtons({ product }: { product: StockTarget }) {
  const [opened, setOpened] = useState<Kind>()
  return (
    <>
      {(['set', 'adjust', 'transfer'] as const).map((kind) => (
        <Button key={kind} scope="write:stock" onPress={() => setOpened(kind)}>
          {t.stock.dialogs[kind].title}
        </Button>
      ))}
      {opened !== undefined && <StockDialog kind={opened} product={product} onClose={() => setOpened(undefined)} />}
    </>
  )
}

export interface StockDialogProps {
  kind: Kind
  product: StockTarget
  location?: string
  onClose: () => void
}

export function StockDialog({ kind, ...rest }: StockDialogProps) {
  if (kind === 'set') return <SetStock {...rest} />
  return kind === 'adjust' ? <AdjustStock {...rest} /> : <TransferStock {...rest} />
}

type Props = Omit<StockDialogProps, 'kind'>

const given = (reason: string) => (reason === '' ? {} : { reason })

function SetStock({ product, location = '', onClose }: Props) {
  const [typed, bind] = useTyped({ location_id: location, quantity: '', reason: '' })
  const input = { location_id: typed.location_id, quantity: numberOf(typed.quantity), ...given(typed.reason) }
  return (
    <WriteDialog
      {...frameOf('set', product, onClose)}
      input={input}
      write={(api, params, options) => api.stock.setLevel(product.id, params, options)}
      done={({ new_quantity, location_id }) => t.stock.isNow(product.name, location_id, new_quantity)}
    >
      <LocationField label={t.stock.location} canCreate autoFocus {...bind('location_id')} />
      <Field label={t.stock.quantity} isRequired type="number" size="narrow" {...bind('quantity')} />
      <Field label={t.orders.reason} maxLength={1000} size="wide" {...bind('reason')} />
    </WriteDialog>
  )
}

function AdjustStock({ product, location = '', onClose }: Props) {
  const [typed, bind] = useTyped({ location_id: location, adjustment_quantity: '', reason: '' })
  const input = {
    product_id: product.id,
    location_id: typed.location_id,
    adjustment_quantity: numberOf(typed.adjustment_quantity),
    ...given(typed.reason),
  }
  return (
    <WriteDialog
      {...frameOf('adjust', product, onClose)}
      codes={{ adjustment_error: () => 'adjustment_quantity' }}
      input={input}
      write={(api, params, options) => api.stock.adjust(params, options)}
      done={({ stock }) => t.stock.isNow(product.name, stock.location_id, stock.new_quantity)}
    >
      <LocationField label={t.stock.location} canCreate autoFocus {...bind('location_id')} />
      <Field
        label={t.stock.change}
        isRequired
        type="number"
        size="narrow"
        hint={t.stock.changeHint}
        {...bind('adjustment_quantity')}
      />
      <Field label={t.orders.reason} maxLength={1000} size="wide" {...bind('reason')} />
    </WriteDialog>
  )
}

function TransferStock({ product, location = '', onClose }: Props) {
  const [typed, bind] = useTyped({ from_location_id: location, to_location_id: '', quantity: '', reason: '' })
  const { from_location_id, to_location_id, quantity, reason } = typed
  const input = { product_id: product.id, from_location_id, to_location_id, quantity: numberOf(quantity), ...given(reason) }
  return (
    <WriteDialog
      {...frameOf('transfer', product, onClose)}
      codes={{ adjustment_error: () => 'quantity' }}
      input={input}
      write={(api, params, options) => api.stock.transfer(params, options)}
      done={(done) => t.stock.moved(product.name, done.quantity, done.from.location_id, done.to.location_id)}
    >
      <LocationField label={t.stock.from} autoFocus {...bind('from_location_id')} />
      <LocationField label={t.stock.to} canCreate {...bind('to_location_id')} />
      <Field label={t.stock.quantity} isRequired type="number" size="narrow" {...bind('quantity')} />
      <Field label={t.orders.reason} maxLength={1000} size="wide" {...bind('reason')} />
    </WriteDialog>
  )
}

const frameOf = (kind: Kind, { name }: StockTarget, onClose: () => void) => ({
  title: t.stock.dialogs[kind].title,
  note: name,
  act: t.stock.dialogs[kind].act,
  scope: 'write:stock' as const,
  kind: 'primary' as const,
  onClose,
})
