import { isNumber } from '@fulfillment/codes/is-number.ts'
import type { Count, CountLine } from '@fulfillment/sdk'
import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useUnsaved } from '../../data/unsaved.ts'
import { useWrite, type Writing } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { Field } from '../../kit/field.tsx'
import { checkedNumber } from '../../kit/number-input.ts'
import { useScope } from '../../data/session.tsx'
import styles from './counts.module.css'

interface CountFieldProps {
  count: Count
  line: CountLine
  /** Whether the line must be counted again, with the same quantity too. */
  isAsked: boolean
  /** Is told whether there is text that is not saved. */
  onTyped: (lineId: number, isTyped: boolean) => void
}

/**
 * What lies at a line. Enter saves it and goes on to the next line at once: what is typed while it is saved belongs there, and a correction that
 * is entered meanwhile is saved after it. What others count meanwhile does not change what is typed.
 */
export function CountField({ count, line, isAsked, onTyped }: CountFieldProps) {
  const { product_id, product_name, location_id } = line
  const location = line.location_code ?? location_id
  const { counted, keep } = useCounted(line)
  const [typed, setTyped] = useState<string>()
  const isAllowed = useScope('write:stock')
  const own = useRef<HTMLFormElement>(null)
  const write = useWrite({
    write: (api, text: string, options) =>
      api.counts.addEntry(count.id, { product_id, location_id, quantity: checkedNumber(text) }, options),
    done: (_, text) => t.counts.savedOf(formatNumber(Number(text)), product_name, location),
    onDone: (_, text) => {
      keep(text)
      // What was corrected meanwhile is not saved.
      setTyped((latest) => (latest === text ? undefined : latest))
    },
  })
  const { save, stop, isLast } = useSaving(write)
  const isUnsaved = typed !== undefined && typed !== counted
  useUnsaved(() => {
    if (!isUnsaved) return undefined
    return isLast(typed) ? 'saving' : 'typed'
  })
  useEffect(() => {
    if (!isUnsaved) return undefined
    onTyped(line.id, true)
    return () => onTyped(line.id, false)
  }, [onTyped, line.id, isUnsaved])
  const isShown = isAsked || isUnsaved
  return (
    <form
      ref={own}
      className={styles.entry}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const text = typed ?? counted
        void save(text)
        if (isNumber(text)) focusNext(own.current)
      }}
    >
      <Field
        label={t.counts.countOf(product_name, location)}
        isLabelHidden
        type="number"
        size="narrow"
        isReadOnly={!isAllowed}
        value={typed ?? counted}
        onChange={setTyped}
      />
      {isShown && (
        <Button type="submit" scope="write:stock" isSaving={write.isSaving} aria-label={t.counts.saveOf(product_name, location)}>
          {t.counts.save}
        </Button>
      )}
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={stop} />
    </form>
  )
}

interface Saving {
  save: (text: string) => Promise<void>
  stop: () => void
  /** Whether this text is being saved, and none after it. */
  isLast: (text: string) => boolean
}

/** The count of a line: the one that was saved here with `keep`, until a newer one is read. */
function useCounted({ counted_quantity, counted_at }: CountLine): { counted: string; keep: (text: string) => void } {
  const [saved, setSaved] = useState<{ text: string; before: string }>()
  const read = `${counted_quantity} ${counted_at}`
  // `keep` is called when a response comes, by a function of an earlier drawing.
  const latest = useRef(read)
  useEffect(() => {
    latest.current = read
  }, [read])
  const counted = counted_quantity === null ? '' : String(counted_quantity)
  return {
    counted: saved?.before === read ? saved.text : counted,
    keep: (text) => setSaved({ text, before: latest.current }),
  }
}

/** Saves one text after another: of those that come while one is being saved, the last. `stop` ends the wait, and drops that text. */
function useSaving({ send, stop }: Writing<string>): Saving {
  const running = useRef<string>(undefined)
  const next = useRef<string>(undefined)
  const drop = (): void => {
    next.current = undefined
  }
  // Who leaves was asked whether it may be lost.
  useEffect(() => drop, [])
  const save = async (text: string): Promise<void> => {
    if (running.current !== undefined) {
      next.current = text === running.current ? undefined : text
      return
    }
    running.current = text
    await send(text)
    running.current = undefined
    const left = next.current
    drop()
    if (left !== undefined) await save(left)
  }
  return {
    save,
    stop: () => {
      drop()
      stop()
    },
    isLast: (text) => running.current === text && next.current === undefined,
  }
}

/** The field of the next line, as after Enter in a spreadsheet. */
function focusNext(form: HTMLFormElement | null): void {
  const forms = [...(form?.closest('tbody')?.querySelectorAll('form') ?? [])]
  const next = form === null ? undefined : forms[forms.indexOf(form) + 1]
  const field = next?.querySelector('input')
  field?.focus()
  field?.select()
}
