import type { Product } from '@fulfillment/sdk'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import form from './form.module.css'
import styles from './lines-input.module.css'
import { ProductCombo } from './product-combo.tsx'
import { numberOf } from './number-input.ts'

export interface NewLine {
  product: Pick<Product, 'id' | 'name' | 'barcode'>
  quantity: string
  /** What is known of the line, such as how much was taken. */
  note?: string
  /** Of lines that have one. */
  reason?: string
}

interface LinesInputProps {
  lines: readonly NewLine[]
  onChange: (lines: readonly NewLine[]) => void
  /** The server's messages are by position: those that are shown are about other lines then. */
  onRemoved: () => void
  /** The API's name of the array: the server's messages for its items are shown at the lines. */
  name: 'order_detail' | 'lines'
  /** Whether each line has a reason. */
  hasReasons?: boolean
  /** What stands above the lines. */
  children?: ReactNode
}

/** The lines of a new record: products are found by typing or scanned; scanning one again adds one. */
export function LinesInput({ lines, onChange, onRemoved, name, hasReasons = false, children }: LinesInputProps) {
  const [added, setAdded] = useState(0)
  const change = (position: number, changed: Partial<NewLine>): void =>
    onChange(lines.map((line, at) => (at === position ? { ...line, ...changed } : line)))
  const add = (product: Product): void => {
    setAdded(added + 1)
    const position = lines.findIndex((line) => line.product.id === product.id)
    if (position < 0) return onChange([...lines, { product, quantity: '1' }])
    change(position, { quantity: String(Number(lines[position]?.quantity) + 1) })
  }
  return (
    <section className={form.form}>
      <h2>{t.orders.linesTitle}</h2>
      {children}
      {lines.length > 0 && (
        <ol className={styles.lines}>
          {lines.map((line, position) => (
            <li key={line.product.id} className={hasReasons ? styles.withReason : ''}>
              <LineInput
                line={line}
                name={`${name}[${position}]`}
                hasReason={hasReasons}
                onChange={(changed) => change(position, changed)}
                onRemove={() => {
                  onChange(lines.filter((_, at) => at !== position))
                  onRemoved()
                }}
              />
            </li>
          ))}
        </ol>
      )}
      {/* Empty again after each product, and ready for the next scan. */}
      <ProductCombo
        key={added}
        label={t.orders.addProduct}
        // The server's message that there are none.
        name={lines.length === 0 ? name : undefined}
        hint={t.orders.addHint}
        value=""
        autoFocus={added > 0}
        onProduct={add}
      />
    </section>
  )
}

interface LineProps {
  line: NewLine
  name: string
  hasReason: boolean
  onChange: (changed: Partial<NewLine>) => void
  onRemove: () => void
}

function LineInput({ line: { product, quantity, note, reason = '' }, name, hasReason, onChange, onRemove }: LineProps) {
  return (
    <>
      <span className={styles.product}>
        {product.name}
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </span>
      <Field
        label={t.orders.quantityOf(product.name)}
        isLabelHidden
        name={`${name}.quantity`}
        type="number"
        size="narrow"
        value={quantity}
        onChange={(typed) => onChange({ quantity: typed })}
      />
      {hasReason && (
        <Field
          label={t.receiving.reasonFor(product.name)}
          isLabelHidden
          placeholder={t.orders.reason}
          name={`${name}.reason`}
          maxLength={1000}
          value={reason}
          onChange={(typed) => onChange({ reason: typed })}
        />
      )}
      <Button kind="quiet" aria-label={t.orders.removeLine(product.name)} onPress={onRemove}>
        <X size={16} aria-hidden />
      </Button>
    </>
  )
}

/** Lines as deliveries and returns take them. */
export const announcedLines = (lines: readonly NewLine[]) =>
  lines.map(({ product, quantity, reason = '' }) => ({
    product_id: product.id,
    quantity: numberOf(quantity),
    ...(reason === '' ? {} : { reason }),
  }))
