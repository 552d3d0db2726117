import { useState } from 'react'
import type { StockedProduct } from './stock-columns.tsx'

/** Is told when the edit of a level begins or ends. */
export type OnEdit = (product: StockedProduct, locationId: string, isEdited: boolean) => void

interface Edited {
  product: StockedProduct
  /** Its place in the list. */
  index: number
}

export interface EditedProducts {
  shown: readonly StockedProduct[]
  /** Whether a product is shown that the list does not have any more. */
  hasKept: boolean
  onEdit: OnEdit
}

/**
 * The products of a list. One with a level that is edited stays in its place when it leaves the list, such as that of shortages, so that what is
 * typed is not lost.
 */
export function useEditedProducts(listed: readonly StockedProduct[]): EditedProducts {
  const [edited, setEdited] = useState<ReadonlyMap<string, Edited>>(new Map())
  const shown = [...listed]
  for (const { product, index } of edited.values())
    if (!shown.some(({ product_id }) => product_id === product.product_id)) shown.splice(index, 0, product)
  const onEdit: OnEdit = (product, locationId, isEdited) => {
    const key = `${product.product_id} ${locationId}`
    const index = shown.findIndex(({ product_id }) => product_id === product.product_id)
    setEdited((before) => {
      const others = [...before].filter(([each]) => each !== key)
      return new Map(isEdited ? [...others, [key, { product, index }]] : others)
    })
  }
  return { shown, hasKept: shown.length > listed.length, onEdit }
}
