import { t } from '../../shared/texts/scan-texts.ts'
import { useTitle } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'

/** Another tab of this browser works. */
export function OtherTab({ onUse }: { onUse: () => void }) {
  useTitle(t.tabs.title)
  return (
    <main className={`${styles.main} ${styles.alone} ${styles.screen}`}>
      <h1>{t.tabs.title}</h1>
      <p>{t.tabs.text}</p>
      <Button kind="primary" onClick={onUse}>
        {t.tabs.use}
      </Button>
    </main>
  )
}
