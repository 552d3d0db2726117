import { t } from '../../shared/texts/scan-texts.ts'
import { setCounted } from '../app/count-stock.ts'
import { useApp } from '../app/use-app.ts'
import { ChangeStock } from './change-stock.tsx'

const { stock } = t

/** Moves stock from a location to another. */
export function Move() {
  const app = useApp()
  return (
    <ChangeStock
      title={stock.moveTitle}
      locations={[
        { key: 'from', label: stock.from, hint: stock.scanFrom },
        { key: 'to', label: stock.to, hint: stock.scanTo },
      ]}
      quantityLabel={stock.quantity}
      button={stock.move}
      done={t.said.moved}
      save={async ({ product, from, to }, quantity, attempts) => {
        if (quantity === 0) {
          app.stop({ message: stock.nothing }, performance.now())
          return false
        }
        const move = { product_id: product.id, from_location_id: from.id, to_location_id: to.id, quantity }
        await attempts.of(JSON.stringify(move), (idempotencyKey) => app.api.client.stock.transfer(move, { idempotencyKey }))
        return true
      }}
    />
  )
}

/** Sets the stock of a location to what was counted. */
export function Count() {
  const app = useApp()
  return (
    <ChangeStock
      title={stock.countTitle}
      locations={[{ key: 'from', label: stock.location, hint: stock.scanLocation }]}
      quantityLabel={stock.counted}
      button={stock.save}
      done={t.said.counted}
      save={({ product, from }, quantity, attempts) =>
        setCounted(app, { product_id: product.id, location_id: from.id, location_code: from.code, quantity }, attempts)
      }
    />
  )
}
