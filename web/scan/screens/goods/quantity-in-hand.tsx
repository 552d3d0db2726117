import { useState } from 'react'
import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import { useApp } from '../../app/use-app.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Keypad } from '../../kit/keypad.tsx'
import { quantityOf } from '../../kit/typed-quantity.ts'
import styles from '../screens.module.css'

interface QuantityInHandProps {
  title?: string
  /** Of the field. */
  label?: string
  /** Whole pieces only. */
  isWhole?: boolean
  onConfirm: (quantity: number) => void
}

/** How much the operator holds, with keys for fingers. */
export function QuantityInHand({
  title = goods.quantity,
  label = goods.quantity,
  isWhole = false,
  onConfirm,
}: QuantityInHandProps) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const quantity = quantityOf(typed, isWhole)
  const close = (): void => app.set({ dialog: undefined })
  return (
    <Dialog title={title} onClose={close}>
      <form
        className={styles.screen}
        onSubmit={(event) => {
          event.preventDefault()
          if (quantity === undefined) return
          close()
          onConfirm(quantity)
        }}
      >
        <Keypad label={label} value={typed} onChange={setTyped} isWhole={isWhole} />
        <Button kind="primary" isSubmit command="FC-CONFIRM" isDisabled={quantity === undefined}>
          {goods.confirm}
        </Button>
        <Button onClick={close}>{t.dialog.cancel}</Button>
      </form>
    </Dialog>
  )
}
