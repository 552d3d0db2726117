import { t } from '../../shared/texts/scan-texts.ts'
import styles from './screens.module.css'

/** Without IndexedDB nothing is safe from a restart: this device does not pick. */
export function NoStore({ isFull }: { isFull: boolean }) {
  return (
    <main className={`${styles.main} ${styles.alone}`}>
      <h1>{t.noStore}</h1>
      <p>{isFull ? t.noSpaceText : t.noStoreText}</p>
    </main>
  )
}
