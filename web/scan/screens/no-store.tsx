import { t } from '../../shared/texts/scan-texts.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'

/** Without IndexedDB nothing is safe from a restart: this device does not pick. */
export function NoStore({ isFull, onAgain }: { isFull: boolean; onAgain: () => void }) {
  return (
    <main className={`${styles.main} ${styles.alone} ${styles.screen}`}>
      <h1>{t.noStore}</h1>
      <p>{isFull ? t.noSpaceText : t.noStoreText}</p>
      <Button kind="primary" onClick={onAgain}>
        {t.dialog.tryAgain}
      </Button>
    </main>
  )
}
