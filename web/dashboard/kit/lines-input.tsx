import { isNumber } from '@fulfillment/codes/is-number.ts'
import type { Product } from '@fulfillment/sdk'
import { X } from 'lucide-react'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { announce } from '../data/messages.ts'
import { exact } from '../../shared/exact.ts'
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
  /** Whether something was scanned for it that could not be added to what is typed. */
  isUnread?: boolean
}

interface LinesInputProps {
  lines: readonly NewLine[]
  /** Scans may come faster than they are drawn: a change is of the lines as they are then. */
  onChange: (change: (lines: readonly NewLine[]) => readonly NewLine[]) => void
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
  // The same function at each drawing, so that the lines are not drawn again.
  const latest = useRef(onRemoved)
  useEffect(() => void (latest.current = onRemoved))
  const [removed] = useState(() => () => latest.current())
  const add = (product: Product, units: number): void => {
    const unread = lines.find((line) => line.product.id === product.id && !isReadable(line.quantity))
    if (unread !== undefined) announce(t.orders.notAdded(units, product.name, unread.quantity))
    onChange((before) =>
      before.some((line) => line.product.id === product.id)
        ? before.map((line) => (line.product.id === product.id ? withUnits(line, units) : line))
        : [...before, { product, quantity: String(units) }],
    )
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
                onChange={onChange}
                onRemoved={removed}
              />
            </li>
          ))}
        </ol>
      )}
      <ProductCombo
        label={t.orders.addProduct}
        isRequired={lines.length === 0}
        // The server's message that there are none.
        name={lines.length === 0 ? name : undefined}
        hint={t.orders.addHint}
        value=""
        isAdding
        onProduct={add}
      />
    </section>
  )
}

interface LineProps extends Pick<LinesInputProps, 'onChange' | 'onRemoved'> {
  line: NewLine
  name: string
  hasReason: boolean
}

/** Drawn only when it changes: of 500 lines, each key in one took half a second. */
const LineInput = memo(function LineInput({ line, name, hasReason, onChange, onRemoved }: LineProps) {
  const { product, quantity, note, reason = '', isUnread = false } = line
  const change = (changed: Partial<NewLine>): void =>
    onChange((before) => before.map((each) => (each.product.id === product.id ? { ...each, ...changed } : each)))
  const remove = (): void => {
    onChange((before) => before.filter((each) => each.product.id !== product.id))
    onRemoved()
  }
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
        isRequired
        type="number"
        size="narrow"
        value={quantity}
        problem={isUnread ? t.states.noNumber : undefined}
        onChange={(typed) => change({ quantity: typed, isUnread: false })}
      />
      {hasReason && (
        <Field
          label={t.receiving.reasonFor(product.name)}
          isLabelHidden
          placeholder={t.orders.reason}
          name={`${name}.reason`}
          maxLength={1000}
          value={reason}
          onChange={(typed) => change({ reason: typed })}
        />
      )}
      <Button kind="quiet" aria-label={t.orders.removeLine(product.name)} onPress={remove}>
        <X size={16} aria-hidden />
      </Button>
    </>
  )
})

const isReadable = (quantity: string): boolean => quantity.trim() === '' || isNumber(quantity)

/** With at most 3 decimals, as quantities have them. What is typed and no number stays as it is. */
const withUnits = (line: NewLine, units: number): NewLine =>
  isReadable(line.quantity) ? { ...line, quantity: String(exact(Number(line.quantity) + units)) } : { ...line, isUnread: true }

/** Lines as deliveries and returns take them. */
export const announcedLines = (lines: readonly NewLine[]) =>
  lines.map(({ product, quantity, reason = '' }) => ({
    product_id: product.id,
    quantity: numberOf(quantity),
    ...(reason === '' ? {} : { reason }),
  }))
