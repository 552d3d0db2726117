import { formatClock } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { MODE, respondedAt } from '../data/client.ts'
import { useStore } from '../data/store.ts'
import { useIsCutOff } from '../data/use-is-cut-off.ts'
import { isPaused } from '../data/use-pulse.ts'
import styles from './frame.module.css'

/** What is true of everything on the screen: test data, a connection in plain text that is not to this machine, no connection, nobody who looks. */
export function StatusBars() {
  const isCutOff = useIsCutOff()
  const isIdle = useStore(isPaused)
  return (
    <>
      {MODE === 'test' && <p className={styles.bar}>{t.frame.testData}</p>}
      {!isSecureContext && <p className={styles.bar}>{t.frame.notEncrypted}</p>}
      {isCutOff && <OfflineBar />}
      {isIdle && (
        <p role="status" className={styles.bar}>
          {t.frame.paused}
        </p>
      )}
    </>
  )
}

function OfflineBar() {
  const last = useStore(respondedAt)
  return (
    <p role="alert" className={styles.bar}>
      {t.states.offlineSince(formatClock(last ?? new Date()))}
    </p>
  )
}
