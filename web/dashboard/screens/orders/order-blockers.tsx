import type { Blocker, Order } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { BlockerText } from './blocker-text.tsx'
import styles from './orders.module.css'

/** More than anybody reads; an order can have a thousand lines. */
const MOST = 20

/** Whether an open order can be picked now, and if not, why and what would mend it. */
export function OrderBlockers({ order }: { order: Order }) {
  const query = useRead(['order', String(order.id), 'blockers'], (api, options) => api.orders.blockers(order.id, options))
  return (
    <Region query={query} rows={1}>
      {({ ready, blockers }) =>
        ready ? (
          <p>
            <Badge kind="ok">{t.blockers.ready}</Badge>
          </p>
        ) : (
          <Section title={t.blockers.title}>
            <BlockerList order={order} blockers={blockers} />
          </Section>
        )
      }
    </Region>
  )
}

function BlockerList({ order, blockers }: { order: Order; blockers: readonly Blocker[] }) {
  return (
    <>
      <ul className={styles.blockers}>
        {blockers.slice(0, MOST).map((blocker) => (
          <li key={`${blocker.code} ${'order_detail_id' in blocker ? blocker.order_detail_id : ''}`}>
            <BlockerText order={order} blocker={blocker} />
          </li>
        ))}
      </ul>
      {blockers.length > MOST && <p>{t.blockers.first(MOST, blockers.length)}</p>}
    </>
  )
}
