import { Link } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useSession } from '../../data/session.tsx'
import { Time } from '../../kit/time.tsx'
import { useLastReconcile } from '../reconcile/last-reconcile.ts'
import { Panel } from './panel.tsx'

/** What the last check of all stock in this browser found. */
export function LastCheck() {
  const { tenant } = useSession()
  const last = useLastReconcile(tenant.id)
  return (
    <Panel title={t.home.reconcile}>
      {last === undefined ? (
        <p>{t.home.neverChecked}</p>
      ) : (
        <p>
          <Time at={last.at} />
          {t.home.found(t.reconcile.result(last.levels, last.differences), last.isWhole)}
        </p>
      )}
      <p>
        <Link to="/reconcile">{t.home.check}</Link>
      </p>
    </Panel>
  )
}
