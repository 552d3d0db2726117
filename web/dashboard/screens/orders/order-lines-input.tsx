import type { Product } from '@fulfillment/sdk'
import { X } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import form from '../../kit/form.module.css'
import { ProductCombo } from '../../kit/product-combo.tsx'
import styles from './orders.module.css'

export interface NewLine {
  product: Pick<Product, 'id' | 'name' | 'barcode'>
  quantity: string
}

/** The lines of a new order: products are found by typing or scanned; scanning one again adds one. */
export function OrderLinesInput({
  lines,
  onChange,
}: {
  lines: readonly NewLine[]
  onChange: (lines: readonly NewLine[]) => void
}) {
  const [added, setAdded] = useState(0)
  const add = (product: Product): void => {
    setAdded(added + 1)
    const position = lines.findIndex((line) => line.product.id === product.id)
    if (position < 0) return onChange([...lines, { product, quantity: '1' }])
    onChange(lines.map((line, at) => (at === position ? { ...line, quantity: String(Number(line.quantity) + 1) } : line)))
  }
  const setQuantity = (position: number, quantity: string): void =>
    onChange(lines.map((line, at) => (at === position ? { ...line, quantity } : line)))
  return (
    <section className={form.form}>
      <h2>{t.orders.linesTitle}</h2>
      {lines.length > 0 && (
        <ol className={styles.newLines}>
          {lines.map(({ product, quantity }, position) => (
            <li key={product.id}>
              <span className={styles.productName}>{product.name}</span>
              <Field
                label={t.orders.quantityOf(product.name)}
                isLabelHidden
                name={`order_detail[${position}].quantity`}
                type="number"
                size="narrow"
                value={quantity}
                onChange={(typed) => setQuantity(position, typed)}
              />
              <Button
                kind="quiet"
                aria-label={t.orders.removeLine(product.name)}
                onPress={() => onChange(lines.filter((_, at) => at !== position))}
              >
                <X size={16} aria-hidden />
              </Button>
            </li>
          ))}
        </ol>
      )}
      {/* Empty again after each product, and ready for the next scan. */}
      <ProductCombo
        key={added}
        label={t.orders.addProduct}
        hint={t.orders.addHint}
        value=""
        autoFocus={added > 0}
        onProduct={add}
      />
    </section>
  )
}
