import { useEffect, useState } from 'react'
import { isRetriedLater } from '../../app/retried-later.ts'
import { useApp } from '../../app/use-app.ts'
import { QuantityInHand } from '../goods/quantity-in-hand.tsx'
import type { NamedContent } from './package-in-hand.tsx'

interface ContentInHandProps {
  content: NamedContent
  onConfirm: (quantity: number) => void
}

/** How much of a product is in the package. */
export function ContentInHand({ content: { product_id, name }, onConfirm }: ContentInHandProps) {
  const isWhole = useWhole(product_id)
  return <QuantityInHand label={name} isWhole={isWhole} onConfirm={onConfirm} />
}

/** Whether only whole pieces of a product are packed: orders do not tell. Until it is read, the server decides, as it does for a key without `read:products`. */
function useWhole(productId: number): boolean {
  const app = useApp()
  const [isWhole, setWhole] = useState(false)
  useEffect(() => {
    const read = async (): Promise<void> => {
      try {
        const { weighable } = await app.api.client.products.get(productId)
        setWhole(!weighable)
      } catch (error) {
        if (!isRetriedLater(error)) throw error
      }
    }
    void read()
  }, [app, productId])
  return isWhole
}
