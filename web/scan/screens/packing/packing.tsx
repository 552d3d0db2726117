import type { Shipment } from '@fulfillment/sdk'
import { useState } from 'react'
import { packing } from '../../../shared/texts/scan-packing-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useWakeLock } from '../../app/use-wake-lock.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import type { Packer } from '../../packing/packer.ts'
import { shipmentName } from '../../packing/shipment-name.ts'
import { CodeField } from '../code-field.tsx'
import { QuantityInHand } from '../goods/quantity-in-hand.tsx'
import { LastScan } from '../pick.tsx'
import styles from '../screens.module.css'
import { ContentInHand } from './content-in-hand.tsx'
import { type NamedContent, PackageContents, PackageInHand } from './package-in-hand.tsx'
import { Packages, Shipments } from './packed.tsx'
import { ProductsToPack } from './products-to-pack.tsx'
import { usePacker } from './use-packer.ts'

/** What of an order was taken and is not packed, and the package that the operator packs. */
export function Packing({ orderId }: { orderId: number }) {
  const app = useApp()
  const packer = usePacker(orderId)
  const { known, products, error, name } = packer
  // What the dialog for quantities is about.
  const [edited, setEdited] = useState<'weight' | NamedContent>('weight')
  const edit = (what: 'weight' | NamedContent): void => {
    setEdited(what)
    app.set({ dialog: 'quantity' })
  }
  useTitle(name)
  useWakeLock()
  useCodes(packer.scan, { leads: true })
  if (known === undefined) {
    return (
      <div className={styles.screen} aria-busy={error === undefined && app.ui.isOnline}>
        <h1>{packing.title}</h1>
        <p role="status">{error ?? (app.ui.isOnline ? packing.loading : packing.offline)}</p>
      </div>
    )
  }
  const taken = products.filter((product) => product.taken > 0)
  const done = taken.filter(({ left }) => left === 0).length
  return (
    <div className={styles.screen}>
      <p className={styles.progress}>
        <progress aria-label={packing.products} value={done} max={Math.max(1, taken.length)} />
        <span>{packing.productOf(done, taken.length)}</span>
      </p>
      <h1>{name}</h1>
      <Notices packer={packer} />
      <PackageInHand packer={packer} />
      <LastScan />
      <Buttons packer={packer} onWeigh={() => edit('weight')} />
      <PackageContents packer={packer} onChoose={edit} />
      <CodeField />
      <ProductsToPack products={taken} onPack={(product) => run(app, packer.packOne(product))} />
      <Packages packer={packer} />
      <Shipments packer={packer} />
      {app.ui.dialog === 'quantity' && edited === 'weight' && (
        <QuantityInHand
          title={packing.weight}
          label={packing.weightField}
          onConfirm={(weight) => run(app, packer.setWeight(weight))}
        />
      )}
      {app.ui.dialog === 'quantity' && edited !== 'weight' && (
        <ContentInHand content={edited} onConfirm={(quantity) => run(app, packer.setQuantity(edited, quantity))} />
      )}
    </div>
  )
}

function run(app: ReturnType<typeof useApp>, step: Promise<boolean>): void {
  app.feedback.unlock()
  void step
}

function Notices({ packer: { known, over, products, name, isCancelled } }: { packer: Packer }) {
  const app = useApp()
  const isPicked = known !== undefined && known.inFlow.size > 0
  const isEmpty = products.every(({ taken }) => taken === 0)
  return (
    <>
      {!app.ui.isOnline && <p className={styles.notice}>{packing.offline}</p>}
      {isCancelled && <p className={styles.notice}>{packing.cancelled(name)}</p>}
      {over !== undefined && (
        <p className={styles.notice}>{packing.problem.over(shipmentName(over), packing.states[over.state])}</p>
      )}
      {isPicked && <p className={styles.notice}>{packing.isPicked(name)}</p>}
      {!isPicked && !isCancelled && isEmpty && <p className={styles.notice}>{packing.nothingTaken(name)}</p>}
    </>
  )
}

function Buttons({ packer, onWeigh }: { packer: Packer; onWeigh: () => void }) {
  const app = useApp()
  const { packages, products, number } = packer
  const current = packages[number - 1]
  return (
    <div className={styles.buttons}>
      <Ship packer={packer} />
      <Button command="FC-ALL" isDisabled={products.every(({ left }) => left === 0)} onClick={() => run(app, packer.packAll())}>
        {packing.packAll}
      </Button>
      <Button isDisabled={current === undefined} onClick={() => void packer.open()}>
        {packing.newPackage}
      </Button>
      <Button isDisabled={current === undefined} onClick={onWeigh}>
        {packing.weight}
      </Button>
      <Button command="FC-UNDO" onClick={() => run(app, packer.undo())}>
        {packing.undo}
      </Button>
    </div>
  )
}

/** The shipment leaves; asks first, as it can't be packed any more then. Another one may be packed before the operator has answered. */
function Ship({ packer }: { packer: Packer }) {
  const app = useApp()
  const [asked, setAsked] = useState<Shipment>()
  const { products, packages } = packer
  const left = products.filter((product) => product.left > 0).length
  const close = (): void => setAsked(undefined)
  const ship = (shipment: Shipment): void => {
    close()
    run(app, packer.ship(shipment))
  }
  return (
    <>
      <Button kind="primary" command="FC-FINISH" isDisabled={packages.length === 0} onClick={() => setAsked(packer.shipment)}>
        {packing.ship}
      </Button>
      {asked !== undefined && (
        <Dialog title={packing.ship} onClose={close}>
          {left > 0 && <p>{packing.shipLeft(left)}</p>}
          <p>{packing.shipAsk(shipmentName(asked))}</p>
          <Button kind="primary" command="FC-FINISH" onClick={() => ship(asked)}>
            {packing.ship}
          </Button>
          <Button onClick={close}>{t.dialog.cancel}</Button>
        </Dialog>
      )}
    </>
  )
}
