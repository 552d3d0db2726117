import { useEffect } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { useTitle } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'

const ASK_AGAIN_MS = 1_000

export interface OtherTabProps {
  /** The operator wants to work here. */
  onUse: () => void
  /** Now and then while the operator sees this: the other tab may be gone. */
  onWait: () => void
}

/** Another tab of this browser works. */
export function OtherTab({ onUse, onWait }: OtherTabProps) {
  useTitle(t.tabs.title)
  useEffect(() => {
    // A hidden tab would take over whenever the other one is reloaded.
    const timer = setInterval(() => document.visibilityState === 'visible' && onWait(), ASK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [onWait])
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
