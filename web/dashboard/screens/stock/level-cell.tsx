import { type HTMLAttributes, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { ErrorNote } from '../../kit/error-note.tsx'
import field from '../../kit/field.module.css'
import table from '../../kit/table.module.css'
import type { StockedProduct } from './stock-cells.tsx'
import styles from './stock.module.css'

interface Props {
  cell: HTMLAttributes<HTMLTableCellElement>
  product: StockedProduct
  level: StockedProduct['levels'][number]
  isEditable: boolean
}

/** A level: Enter edits it, Enter saves it, Esc undoes. A refused value stays in its field, with the message below. */
export function LevelCell({ cell, product, level, isEditable }: Props) {
  const [typed, setTyped] = useState<string>()
  const own = useRef<HTMLTableCellElement>(null)
  const error = useId()
  const write = useWrite({
    write: (api, quantity: number, options) =>
      api.stock.setLevel(product.product_id, { location_id: level.location_id, quantity, reason: 'inventory_count' }, options),
    done: ({ new_quantity }) => t.stock.isNow(product.name, level.location_code, new_quantity),
    onDone: () => close(),
  })
  const close = (): void => {
    setTyped(undefined)
    write.forget()
    own.current?.focus()
  }
  const start = (): void => {
    if (!isEditable || typed !== undefined) return
    write.forget()
    setTyped(String(level.quantity))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && typed !== undefined) {
      write.stop()
      return close()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (typed === undefined) start()
    else if (typed === String(level.quantity)) close()
    else void write.send(typed === '' ? Number.NaN : Number(typed))
  }
  const name = t.stock.levelOf(product.name, level.location_code)
  return (
    <td
      {...cell}
      ref={own}
      data-label={t.stock.quantity}
      className={table.number}
      aria-readonly={!isEditable}
      onKeyDown={onKeyDown}
      onDoubleClick={start}
    >
      {typed === undefined ? (
        formatNumber(level.quantity)
      ) : (
        <>
          <LevelInput
            name={name}
            typed={typed}
            onChange={setTyped}
            isSaving={write.isSaving}
            error={write.error === undefined ? undefined : error}
          />
          {write.retryAt !== undefined && <ErrorNote error={undefined} retryAt={write.retryAt} stop={write.stop} />}
          {write.error !== undefined && (
            <p id={error} role="alert" className={`${field.error} ${styles.error}`}>
              {write.error.message}
            </p>
          )}
        </>
      )}
    </td>
  )
}

interface InputProps {
  name: string
  typed: string
  onChange: (typed: string) => void
  isSaving: boolean
  error: string | undefined
}

function LevelInput({ name, typed, onChange, isSaving, error }: InputProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  return (
    <input
      ref={input}
      type="number"
      step="any"
      className={`${field.input} ${styles.input}`}
      aria-label={name}
      aria-invalid={error !== undefined}
      aria-describedby={error}
      readOnly={isSaving}
      value={typed}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
