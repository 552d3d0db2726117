import { useEffect, useState } from 'react'
import { APIError } from '../../../shared/api.ts'
import { t } from '../../../shared/texts/texts.ts'
import { queries } from '../../data/client.ts'
import { useUnsaved } from '../../data/unsaved.ts'
import { useWrite, type Writing } from '../../data/use-write.ts'
import { checkedNumber } from '../../kit/number-input.ts'
import type { StockedProduct } from './stock-columns.tsx'
import type { OnEdit } from './use-edited-products.ts'

/** What is saved: a new quantity in place of the one that was on the screen. */
interface Saved {
  typed: string
  expected: number
}

interface LevelEditOptions {
  product: StockedProduct
  level: StockedProduct['levels'][number]
  onEdit: OnEdit
  onClosed: () => void
}

interface LevelEdit {
  /** Undefined while the level is not edited. */
  typed: string | undefined
  type: (text: string) => void
  /** The level that a save found in place of the one that was shown. */
  now: number | undefined
  /** Whether saving would change nothing. */
  isSame: boolean
  open: () => void
  save: () => void
  /** Undoes what is typed. */
  close: () => void
  write: Writing<Saved>
}

/** The edit of one level. It is saved only in place of the quantity that was shown: else the person decides, and saves in place of the new one. */
export function useLevelEdit({ product, level, onEdit, onClosed }: LevelEditOptions): LevelEdit {
  const [typed, setTyped] = useState<string>()
  const [shown, setShown] = useState(level.quantity)
  const write = useWrite({
    write: (api, { typed: text, expected }: Saved, options) =>
      api.stock.setLevel(
        product.product_id,
        {
          location_id: level.location_id,
          quantity: checkedNumber(text),
          expected_quantity: expected,
          reason: 'inventory_count',
        },
        options,
      ),
    done: ({ new_quantity }) => t.stock.isNow(product.name, level.location_code, new_quantity),
    onDone: () => close(),
  })
  useUnsaved(() => {
    if (typed === undefined || typed === String(shown)) return undefined
    return write.isSaving ? 'saving' : 'typed'
  })
  const isEdited = typed !== undefined
  useEffect(() => {
    if (!isEdited) return undefined
    onEdit(product, level.location_id, true)
    return () => onEdit(product, level.location_id, false)
    // `onEdit` is another function at each drawing, and does the same.
  }, [isEdited, product, level.location_id])
  const now = levelFound(write.error)
  const open = (): void => {
    write.forget()
    setShown(level.quantity)
    setTyped(String(level.quantity))
  }
  const save = (): void => {
    if (now !== undefined) setShown(now)
    void write.send({ typed: typed ?? '', expected: now ?? shown })
  }
  const close = (): void => {
    if (now !== undefined) void queries.invalidateQueries({ queryKey: ['stock'] })
    setTyped(undefined)
    write.forget()
    onClosed()
  }
  return { typed, type: setTyped, now, isSame: typed === String(now ?? shown), open, save, close, write }
}

function levelFound(error: Error | undefined): number | undefined {
  if (!(error instanceof APIError) || error.code !== 'quantity_conflict') return undefined
  return error.details?.flatMap((detail) => ('path' in detail ? (detail.current_quantity ?? []) : []))[0]
}
