import { packing } from '../../../shared/texts/scan-packing-texts.ts'
import { Button } from '../../kit/button.tsx'
import { contentsOf } from '../../packing/packages.ts'
import type { Packer } from '../../packing/packer.ts'
import { shipmentName } from '../../packing/shipment-name.ts'
import styles from '../screens.module.css'

/** The other packages of the shipment: a tap goes on with one. */
export function Packages({ packer }: { packer: Packer }) {
  const { packages, products, number } = packer
  const others = packages.filter((one) => one.number !== number)
  if (others.length === 0) return null
  const nameOf = (id: number): string => products.find(({ product_id }) => product_id === id)?.name ?? ''
  return (
    <section>
      <h2>{packing.packages}</h2>
      <ul aria-label={packing.packages} className={styles.list}>
        {others.map((one) => (
          <li key={one.number} className={styles.order}>
            <Button kind="quiet" onClick={() => void packer.open(one.number)}>
              {packing.package(one.number)}
            </Button>
            {contentsOf(one).map(({ product_id, quantity }) => (
              <span key={product_id}>{packing.content(nameOf(product_id), quantity)}</span>
            ))}
            {one.weight !== null && <span className={styles.quiet}>{packing.weighs(one.weight)}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The shipments of the order: an open one can be gone on with. */
export function Shipments({ packer }: { packer: Packer }) {
  const { known, shipment } = packer
  const shipments = known?.shipments ?? []
  if (shipments.length === 0) return null
  return (
    <section className={styles.screen}>
      <h2>{packing.shipments}</h2>
      <ul aria-label={packing.shipments} className={styles.list}>
        {shipments.map((one) => {
          const text = packing.shipment(shipmentName(one), packing.states[one.state], one.packages.length)
          return one.state === 'open' && one.id !== shipment?.id ? (
            <li key={one.id} className={styles.order}>
              <Button kind="quiet" onClick={() => void packer.goOnWith(one.id)}>
                {packing.goOn(shipmentName(one))}
              </Button>
              <span>{text}</span>
            </li>
          ) : (
            <li key={one.id} className={styles.line}>
              {text}
            </li>
          )
        })}
      </ul>
      {shipment !== undefined && <Button onClick={() => void packer.goOnWith(null)}>{packing.newShipment}</Button>}
    </section>
  )
}
