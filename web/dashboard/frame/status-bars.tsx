import { useSyncExternalStore } from 'react'
import { formatClock } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { lostPulses, MODE, respondedAt } from '../data/client.ts'
import { useStore } from '../data/store.ts'
import { isPaused } from '../data/use-pulse.ts'
import styles from './frame.module.css'

/** What is true of everything on the screen: test data, a connection in plain text that is not to this machine, no connection, nobody who looks. */
export function StatusBars() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  const isLost = useStore(lostPulses) > 1
  const isIdle = useStore(isPaused)
  return (
    <>
      {MODE === 'test' && <p className={styles.bar}>{t.frame.testData}</p>}
      {!isSecureContext && <p className={styles.bar}>{t.frame.notEncrypted}</p>}
      {(!isOnline || isLost) && <OfflineBar />}
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

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
