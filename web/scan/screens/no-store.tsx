import { t } from '../../shared/texts/scan-texts.ts'
import { reloadOnce } from '../app/reload-once.ts'
import { Button } from '../kit/button.tsx'
import { isNamed } from '../store/database.ts'
import styles from './screens.module.css'

/** Without IndexedDB nothing is safe from a restart: this device does not pick. `error` is why it does not open. */
export function NoStore({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const isOld = isNamed(error, 'VersionError')
  const text = isNamed(error, 'QuotaExceededError') ? t.noSpaceText : t.noStoreText
  return (
    <main className={`${styles.main} ${styles.alone} ${styles.screen}`}>
      <h1>{isOld ? t.outOfDate : t.noStore}</h1>
      <p>{isOld ? t.outOfDateText : text}</p>
      <Button kind="primary" onClick={isOld ? () => void reloadOnce(true) : onAgain}>
        {t.dialog.tryAgain}
      </Button>
    </main>
  )
}
