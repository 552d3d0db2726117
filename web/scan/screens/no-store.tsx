import { t } from '../../shared/texts/scan-texts.ts'
import styles from './screens.module.css'

/** Without IndexedDB nothing is safe from a restart: this device does not pick. */
export function NoStore() {
  return (
    <main className={styles.main}>
      <h1>{t.noStore}</h1>
      <p>{t.noStoreText}</p>
    </main>
  )
}
