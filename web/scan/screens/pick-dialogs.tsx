import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { decide, productOf } from '../app/picking-actions.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Keypad } from '../kit/keypad.tsx'
import { quantityOf } from '../kit/typed-quantity.ts'
import { forSeen, goTo, setQuantity, short } from '../picking/decide.ts'
import type { ShortReason } from '../picking/draft.ts'
import { lineOf, type WalkView } from '../picking/view.ts'
import styles from './screens.module.css'
import type { ShownWalk } from './use-seen-stop.ts'

const REASONS: ShortReason[] = ['not_found', 'damaged', 'too_few']

/** How much was taken, with keys for fingers. */
export function QuantityDialog({ view }: { view: ShownWalk }) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const [stop] = useState(view.seenStop)
  const product = productOf(app.kept, view.walk, lineOf(view, view.current)?.product_id ?? 0)
  const isWhole = product?.weighable === false
  const quantity = quantityOf(typed, isWhole)
  const close = (): void => app.set({ dialog: undefined })
  return (
    <Dialog title={t.quantity.title} onClose={close}>
      <form
        className={styles.screen}
        onSubmit={(event) => {
          event.preventDefault()
          if (quantity === undefined) return
          close()
          void decide(
            app,
            view.walk.key,
            forSeen(stop, (picking) => setQuantity(picking, quantity)),
          )
        }}
      >
        <Keypad label={t.quantity.label} value={typed} onChange={setTyped} isWhole={isWhole} />
        <Button kind="primary" isSubmit command="FC-CONFIRM" isDisabled={quantity === undefined}>
          {t.quantity.confirm}
        </Button>
        <Button onClick={close}>{t.dialog.cancel}</Button>
      </form>
    </Dialog>
  )
}

/** Why the rest of the line is not taken. */
export function ShortDialog({ view }: { view: ShownWalk }) {
  const app = useApp()
  const [stop] = useState(view.seenStop)
  const close = (): void => app.set({ dialog: undefined })
  return (
    <Dialog title={t.short.title} onClose={close}>
      <p>{t.short.hint}</p>
      {REASONS.map((reason) => (
        <Button
          key={reason}
          onClick={() => {
            close()
            void decide(
              app,
              view.walk.key,
              forSeen(stop, (picking) => short(picking, reason)),
            )
          }}
        >
          {t.short[reason]}
        </Button>
      ))}
      <Button kind="quiet" onClick={close}>
        {t.dialog.cancel}
      </Button>
    </Dialog>
  )
}

/** Other locations of the product. */
export function ElsewhereDialog({ view }: { view: WalkView }) {
  const app = useApp()
  const close = (): void => app.set({ dialog: undefined })
  const { current } = view
  const line = lineOf(view, current)
  const others = line?.levels.filter(({ location_id, quantity }) => location_id !== current?.location?.id && quantity > 0) ?? []
  return (
    <Dialog title={t.pick.elsewhereTitle} onClose={close}>
      {others.length === 0 && <p>{t.pick.elsewhereNone}</p>}
      {others.map(({ location_id, location_code, quantity }) => (
        <Button
          key={location_id}
          onClick={() => {
            close()
            const location = { id: location_id, code: location_code }
            void decide(app, view.walk.key, (picking) => goTo(picking, location, { isChosen: true }))
          }}
        >
          {t.pick.at(location_code, quantity)}
        </Button>
      ))}
      <Button kind="quiet" onClick={close}>
        {t.dialog.cancel}
      </Button>
    </Dialog>
  )
}
