import { type HTMLAttributes, type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import field from '../../kit/field.module.css'
import table from '../../kit/table.module.css'
import { numberInput } from '../../kit/number-input.ts'
import type { StockedProduct } from './stock-columns.tsx'
import styles from './stock.module.css'
import type { OnEdit } from './use-edited-products.ts'
import { useLevelEdit } from './use-level-edit.ts'

interface Props {
  cell: HTMLAttributes<HTMLTableCellElement>
  product: StockedProduct
  level: StockedProduct['levels'][number]
  isEditable: boolean
  onEdit: OnEdit
}

/**
 * A level: Enter edits it, Enter saves it, Esc undoes. While it is being saved its field stays, and can only be read. A refused value stays in its field, with the message below. When the level has changed
 * since it was shown, the cell shows it as it is now, and asks.
 */
export function LevelCell({ cell, product, level, isEditable, onEdit }: Props) {
  const own = useRef<HTMLTableCellElement>(null)
  const error = useId()
  const { typed, type, now, isSame, open, save, close, write } = useLevelEdit({
    product,
    level,
    onEdit,
    onClosed: () => own.current?.focus(),
  })
  const start = (): void => {
    if (isEditable && typed === undefined) open()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && typed !== undefined) {
      // Esc would not undo what is being saved. A wait until it is sent again ends.
      if (write.isSaving && write.retryAt === undefined) return
      write.stop()
      return close()
    }
    // Enter on a button of the question presses it.
    if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return
    event.preventDefault()
    if (typed === undefined) start()
    else if (isSame) close()
    else save()
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
            onChange={type}
            isSaving={write.isSaving}
            error={write.error === undefined ? undefined : error}
          />
          {write.retryAt !== undefined && <ErrorNote error={undefined} retryAt={write.retryAt} stop={write.stop} />}
          {write.error !== undefined && (
            <Refusal id={error} error={write.error} now={now} typed={typed} keep={close} save={save} />
          )}
        </>
      )}
    </td>
  )
}

interface RefusalProps {
  id: string
  error: Error
  /** The level, when it is not the one that was shown. */
  now: number | undefined
  typed: string
  keep: () => void
  save: () => void
}

/** Why a level was not set, and the question what it is to be when another caller has changed it. */
function Refusal({ id, error, now, typed, keep, save }: RefusalProps) {
  return (
    <>
      <p id={id} role="alert" className={`${field.error} ${styles.error}`}>
        {now === undefined ? error.message : t.stock.changedTo(now)}
      </p>
      {now !== undefined && (
        <span className={styles.question}>
          <Button onPress={keep}>{t.stock.keep(now)}</Button>
          <Button onPress={save}>{t.stock.setAnyway(typed)}</Button>
        </span>
      )}
    </>
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
      {...numberInput(typed, onChange)}
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
