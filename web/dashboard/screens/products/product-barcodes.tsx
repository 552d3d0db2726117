import type { ProductBarcode, ProductWithStock } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { numberOf } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

type Shown = { is: 'add' } | { is: 'remove'; barcode: string }

/** All barcodes of a product. Additional ones, as of packs, can be added and removed. */
export function ProductBarcodes({ product }: { product: ProductWithStock }) {
  const [shown, setShown] = useState<Shown>()
  const query = useRead(['product', String(product.id), 'barcodes'], (api, options) => api.barcodes.list(product.id, options))
  const onClose = () => setShown(undefined)
  return (
    <Section
      title={t.barcodes.title}
      actions={
        <Button scope="write:products" onPress={() => setShown({ is: 'add' })}>
          {t.barcodes.add}
        </Button>
      }
    >
      <Region query={query} rows={1}>
        {({ barcodes }) => (
          <Table
            caption={t.barcodes.title}
            columns={[...COLUMNS, actions((barcode) => setShown({ is: 'remove', barcode }))]}
            rows={barcodes}
            rowKey={({ barcode }) => barcode}
          />
        )}
      </Region>
      {shown?.is === 'add' && <AddBarcode product={product} onClose={onClose} />}
      {shown?.is === 'remove' && <RemoveBarcode product={product} barcode={shown.barcode} onClose={onClose} />}
    </Section>
  )
}

const COLUMNS: Column<ProductBarcode>[] = [
  { id: 'barcode', header: t.products.barcode, isWide: true, cell: ({ barcode }) => barcode },
  { id: 'quantity', header: t.barcodes.units, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  {
    id: 'name',
    header: t.barcodes.name,
    cell: ({ name, is_primary }) => (is_primary ? t.barcodes.primary : <Value text={name} />),
  },
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]

const actions = (remove: (barcode: string) => void): Column<ProductBarcode> => ({
  id: 'actions',
  header: t.picking.actions,
  cell: ({ barcode, is_primary }) =>
    !is_primary && (
      <Button kind="quiet" scope="write:products" aria-label={t.barcodes.removeOne(barcode)} onPress={() => remove(barcode)}>
        {t.barcodes.remove}
      </Button>
    ),
})

interface DialogProps {
  product: ProductWithStock
  onClose: () => void
}

function AddBarcode({ product, onClose }: DialogProps) {
  const [typed, bind] = useTyped({ barcode: '', quantity: '1', name: '' })
  const name = typed.name.trim()
  const input = { barcode: typed.barcode, quantity: numberOf(typed.quantity), ...(name === '' ? {} : { name }) }
  return (
    <WriteDialog
      title={t.barcodes.addTitle(product.name)}
      act={t.barcodes.add}
      scope="write:products"
      kind="primary"
      codes={{ already_exists: () => 'barcode' }}
      input={input}
      write={(api, params, options) => api.barcodes.add(product.id, params, options)}
      done={({ barcode }) => t.barcodes.added(barcode)}
      onClose={onClose}
    >
      <Field label={t.products.barcode} isRequired maxLength={255} autoFocus {...bind('barcode')} />
      <Field label={t.barcodes.units} isRequired type="number" size="narrow" {...bind('quantity')} />
      <Field label={t.barcodes.name} maxLength={255} {...bind('name')} />
    </WriteDialog>
  )
}

function RemoveBarcode({ product, barcode, onClose }: DialogProps & { barcode: string }) {
  return (
    <WriteDialog
      title={t.barcodes.removeTitle(barcode)}
      act={t.barcodes.removeAct}
      scope="write:products"
      note={t.barcodes.removeText(product.name)}
      input={barcode}
      write={(api, removed, options) => api.barcodes.remove(product.id, removed, options)}
      done={() => t.barcodes.removed(barcode)}
      onClose={onClose}
    />
  )
}
