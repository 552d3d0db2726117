import { type HTMLAttributes, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { APIError } from '../../../shared/api.ts'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { queries } from '../../data/client.ts'
import { useUnsaved } from '../../data/unsaved.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import field from '../../kit/field.module.css'
import table from '../../kit/table.module.css'
import { checkedNumber, numberInput } from '../../kit/number-input.ts'
import type { StockedProduct } from './stock-columns.tsx'
import styles from './stock.module.css'

interface Props {
  cell: HTMLAttributes<HTMLTableCellElement>
  product: StockedProduct
  level: StockedProduct['levels'][number]
  isEditable: boolean
}

/** What is saved: a new quantity in place of the one that was on the screen. */
interface Edit {
  typed: string
  expected: number
}

/**
 * A level: Enter edits it, Enter saves it, Esc undoes. A refused value stays in its field, with the message below. When the level has changed
 * since it was shown, the cell shows it as it is now, and asks.
 */
export function LevelCell({ cell, product, level, isEditable }: Props) {
  const [typed, setTyped] = useState<string>()
  const [shown, setShown] = useState(level.quantity)
  const own = useRef<HTMLTableCellElement>(null)
  const error = useId()
  const write = useWrite({
    write: (api, edit: Edit, options) =>
      api.stock.setLevel(
        product.product_id,
        {
          location_id: level.location_id,
          quantity: checkedNumber(edit.typed),
          expected_quantity: edit.expected,
          reason: 'inventory_count',
        },
        options,
      ),
    done: ({ new_quantity }) => t.stock.isNow(product.name, level.location_code, new_quantity),
    onDone: () => close(),
  })
  useUnsaved(() => typed !== undefined && typed !== String(shown))
  const now = levelFound(write.error)
  const close = (): void => {
    if (now !== undefined) void queries.invalidateQueries({ queryKey: ['stock'] })
    setTyped(undefined)
    write.forget()
    own.current?.focus()
  }
  const save = (): void => {
    if (now !== undefined) setShown(now)
    void write.send({ typed: typed ?? '', expected: now ?? shown })
  }
  const start = (): void => {
    if (!isEditable || typed !== undefined) return
    write.forget()
    setShown(level.quantity)
    setTyped(String(level.quantity))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && typed !== undefined) {
      write.stop()
      return close()
    }
    if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return
    event.preventDefault()
    if (typed === undefined) start()
    else if (typed === String(now ?? shown)) close()
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
            onChange={setTyped}
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

/** The level that a save found in place of the one that was shown. */
function levelFound(error: Error | undefined): number | undefined {
  if (!(error instanceof APIError) || error.code !== 'quantity_conflict') return undefined
  return error.details?.flatMap((detail) => ('path' in detail ? (detail.current_quantity ?? []) : []))[0]
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
