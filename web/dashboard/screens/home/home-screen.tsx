import { t } from '../../../shared/texts/texts.ts'
import { OrdersByDay } from '../../charts/orders-by-day.tsx'
import { useScope } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { DueOrders } from './due-orders.tsx'
import { FailingWebhooks } from './failing-webhooks.tsx'
import { FirstSteps } from './first-steps.tsx'
import styles from './home.module.css'
import { LastCheck } from './last-check.tsx'
import { LowStock } from './low-stock.tsx'
import { Panel } from './panel.tsx'
import { PickingNow } from './picking-now.tsx'

/** What needs attention now; of a tenant without anything, what to do first. */
export function HomeScreen() {
  const canReadProducts = useScope('read:products')
  const query = useRead(['products', 'any'], (api, options) => api.products.list({ limit: 1 }, options), {
    enabled: canReadProducts,
  })
  return (
    <Screen title={t.nav.home}>
      {canReadProducts ? (
        <Region query={query}>{({ pagination }) => (pagination.total === 0 ? <FirstSteps /> : <Panels />)}</Region>
      ) : (
        <Panels />
      )}
    </Screen>
  )
}

/** The parts that this session's key can read. */
function Panels() {
  const canReadOrders = useScope('read:orders')
  const canReadStock = useScope('read:stock')
  const canReadWebhooks = useScope('read:webhooks')
  const isAdmin = useScope('admin')
  return (
    <div className={styles.panels}>
      {canReadOrders && <DueOrders />}
      {canReadOrders && <PickingNow />}
      {canReadStock && <LowStock />}
      {canReadWebhooks && <FailingWebhooks />}
      {isAdmin && <LastCheck />}
      {canReadOrders && (
        <Panel title={t.charts.orders.title} isWide>
          <OrdersByDay />
        </Panel>
      )}
    </div>
  )
}
