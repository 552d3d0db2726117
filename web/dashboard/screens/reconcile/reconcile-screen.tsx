import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useSession } from '../../data/session.tsx'
import { useScreenRead } from '../../data/screen-reads.tsx'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { Countdown } from '../../kit/countdown.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { useLastReconcile } from './last-reconcile.ts'
import { type Difference, type Reconciling, RECONCILE_LIMIT, useReconcile } from './use-reconcile.ts'

/** Checks that all stock is the sum of its movements, page by page. */
export function ReconcileScreen() {
  const { tenant } = useSession()
  const { progress, run, stop } = useReconcile(tenant.id)
  useScreenRead('reconcile', (api) => api.stock.reconcile({ limit: RECONCILE_LIMIT }), true)
  const isRunning = progress?.state === 'running'
  return (
    <Screen
      title={t.nav.reconcile}
      actions={
        <>
          <Button kind="primary" scope="admin" isDisabled={isRunning} onPress={run}>
            {t.reconcile.run}
          </Button>
          <Button isDisabled={!isRunning} onPress={stop}>
            {t.reconcile.stop}
          </Button>
        </>
      }
    >
      <p>{t.reconcile.text}</p>
      {progress === undefined ? <Last tenantId={tenant.id} /> : <Progress progress={progress} />}
    </Screen>
  )
}

function Last({ tenantId }: { tenantId: number }) {
  const last = useLastReconcile(tenantId)
  if (last === undefined) return null
  const { at, levels, differences, isWhole } = last
  const text = t.reconcile.result(levels, differences)
  return (
    <Facts
      facts={[
        { name: t.reconcile.last, value: <Time at={at} /> },
        { name: isWhole ? t.reconcile.done : t.reconcile.stopped, value: text },
      ]}
    />
  )
}

function Progress({ progress }: { progress: Reconciling }) {
  const total = useProductCount()
  const { state, products, levels, differenceCount, differences, error, retryAt } = progress
  const whole = state === 'done' ? products : Math.max(total ?? 0, products)
  const head = { running: t.reconcile.running, done: t.reconcile.done, stopped: t.reconcile.stopped, failed: t.reconcile.stopped }
  return (
    <>
      <ProgressBar label={t.reconcile.checked} value={products} max={whole} />
      <p>{t.reconcile.products(products, whole)}</p>
      <p role="status">{`${head[state]} ${t.reconcile.result(levels, differenceCount)}`}</p>
      {retryAt !== undefined && <Countdown until={retryAt} text={t.reconcile.waiting} />}
      <ErrorNote error={error} />
      {differences.length > 0 && (
        <Section title={t.reconcile.differences}>
          <Table caption={t.reconcile.differences} columns={COLUMNS} rows={differences} rowKey={keyOf} />
          {differences.length < differenceCount && <p>{t.reconcile.moreDifferences(differences.length, differenceCount)}</p>}
        </Section>
      )}
    </>
  )
}

/** Deleted products have stock to check too. */
function useProductCount(): number | undefined {
  const active = useRead(['products', 'count', true], (api, options) => api.products.list({ limit: 1 }, options))
  const deleted = useRead(['products', 'count', false], (api, options) =>
    api.products.list({ limit: 1, is_active: false }, options),
  )
  if (active.data === undefined || deleted.data === undefined) return undefined
  return active.data.pagination.total + deleted.data.pagination.total
}

const keyOf = ({ kind, product_id, location_id, warehouse_id }: Difference): string =>
  `${kind} ${product_id} ${location_id} ${warehouse_id}`

const COLUMNS: Column<Difference>[] = [
  { id: 'kind', header: t.reconcile.kind, cell: ({ kind }) => t.reconcile.kinds[kind] },
  {
    id: 'product',
    header: t.orders.product,
    cell: ({ product_id }) => (
      <Link to="/products/$id" params={{ id: String(product_id) }}>
        {t.reconcile.product(product_id)}
      </Link>
    ),
  },
  {
    id: 'place',
    header: t.reconcile.place,
    isWide: true,
    cell: ({ location_id, warehouse_id }) => (
      <Value text={location_id ?? (warehouse_id === null ? null : t.reconcile.warehouse(warehouse_id))} />
    ),
  },
  { id: 'recorded', header: t.reconcile.recorded, isNumber: true, cell: ({ recorded }) => formatNumber(recorded) },
  { id: 'expected', header: t.reconcile.expected, isNumber: true, cell: ({ expected }) => formatNumber(expected) },
]
