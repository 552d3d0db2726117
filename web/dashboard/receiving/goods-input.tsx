import { type Dispatch, type SetStateAction, useState } from 'react'
import { exact } from '../../shared/exact.ts'
import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { Field } from '../kit/field.tsx'
import { packHint, ProductCombo } from '../kit/product-combo.tsx'
import { Select } from '../kit/select.tsx'
import { numberOf } from '../kit/number-input.ts'
import type { Receivable } from './kind.ts'

type Line = Pick<Receivable['lines'][number], 'id' | 'product_name' | 'quantity' | 'received_quantity'>

/** In place of the id of a line. */
const ANOTHER = 'another'

/** What is received, and how much of it. */
interface Goods {
  /** The id of a line; `another` for a product that was not announced. */
  line: string
  product?: { id: number; name: string; units: number }
  quantity: string
}

/** The goods of a dialog that receives: the first line of which something is still to come, and the name of what was chosen. */
export function useGoods({ lines }: { lines: readonly Line[] }) {
  const [goods, setGoods] = useState<Goods>(() => {
    const first = lines.find((line) => openOf(line) > 0) ?? lines[0]
    return { line: String(first?.id ?? ANOTHER), quantity: first === undefined ? '' : String(openOf(first)) }
  })
  const name = goods.line === ANOTHER ? goods.product?.name : lines.find(({ id }) => String(id) === goods.line)?.product_name
  return { goods, setGoods, name: name ?? '' }
}

/** The goods as a receipt names them. */
export const receiptOf = ({ line, product, quantity }: Goods) => ({
  ...(line !== ANOTHER ? { line_id: Number(line) } : product === undefined ? {} : { product_id: product.id }),
  quantity: numberOf(quantity),
})

interface GoodsInputProps {
  record: Pick<Receivable, 'allow_over'> & { lines: readonly Line[] }
  goods: Goods
  onGoods: Dispatch<SetStateAction<Goods>>
}

/** The line that goods belong to, or their product where more than announced may come, and the quantity. */
export function GoodsInput({ record: { lines, allow_over }, goods, onGoods }: GoodsInputProps) {
  const choose = (line: string): void => {
    const chosen = lines.find(({ id }) => String(id) === line)
    onGoods((before) => ({ ...before, line, quantity: chosen === undefined ? before.quantity : String(openOf(chosen)) }))
  }
  const others = allow_over ? [{ value: ANOTHER, label: t.receiving.another }] : []
  return (
    <>
      <Select
        label={t.receiving.line}
        name="line_id"
        options={[...lines.map((line) => ({ value: String(line.id), label: labelOf(line) })), ...others]}
        value={goods.line}
        onChange={choose}
      />
      {goods.line === ANOTHER && (
        <ProductCombo
          label={t.receiving.product}
          name="product_id"
          isRequired
          hint={goods.product && packHint(goods.product.units)}
          value={goods.product?.name ?? ''}
          onProduct={({ id, name }, units) => onGoods((before) => ({ ...before, product: { id, name, units } }))}
          onClear={() => onGoods((before) => ({ ...before, product: undefined }))}
        />
      )}
      <Field
        label={t.stock.quantity}
        name="quantity"
        isRequired
        type="number"
        size="narrow"
        value={goods.quantity}
        onChange={(quantity) => onGoods((before) => ({ ...before, quantity }))}
      />
    </>
  )
}

const openOf = ({ quantity, received_quantity }: Line): number => Math.max(exact(quantity - received_quantity), 0)

const labelOf = (line: Line): string =>
  t.receiving.lineOf(line.product_name, formatNumber(line.received_quantity), formatNumber(line.quantity))
