import { useState } from 'react'
import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import { useApp } from '../../app/use-app.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Keypad, quantityOf } from '../../kit/keypad.tsx'
import styles from '../screens.module.css'

interface QuantityInHandProps {
  title?: string
  /** Of the field. */
  label?: string
  onConfirm: (quantity: number) => void
}

/** How much the operator holds, with keys for fingers. */
export function QuantityInHand({ title = goods.quantity, label = goods.quantity, onConfirm }: QuantityInHandProps) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const quantity = quantityOf(typed)
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
        <Keypad label={label} value={typed} onChange={setTyped} />
        <Button kind="primary" isSubmit command="FC-CONFIRM" isDisabled={quantity === undefined}>
          {goods.confirm}
        </Button>
        <Button onClick={close}>{t.dialog.cancel}</Button>
      </form>
    </Dialog>
  )
}
