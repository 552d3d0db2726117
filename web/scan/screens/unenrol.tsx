import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { saveQueue } from '../app/save-queue.ts'
import { unenrol } from '../app/session.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { countUnsent } from '../queue/reduce.ts'

/** Takes the device out of service. With unsent entries it asks twice, and offers them as a file. */
export function Unenrol() {
  const app = useApp()
  const [isAsking, setAsking] = useState(false)
  const [isSure, setSure] = useState(false)
  const unsent = countUnsent(app.kept.entries)
  const close = (): void => {
    setAsking(false)
    setSure(false)
  }
  const needsSure = unsent > 0 && !isSure
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t.diagnostics.unenrol}</Button>
      {isAsking && (
        <Dialog title={t.diagnostics.unenrol} onClose={close}>
          <p>{t.diagnostics.unenrolAsk(unsent)}</p>
          {unsent > 0 && <Button onClick={() => saveQueue(app)}>{t.diagnostics.export}</Button>}
          <Button onClick={() => (needsSure ? setSure(true) : void unenrol(app))}>
            {isSure ? t.diagnostics.unenrolSure : t.diagnostics.unenrol}
          </Button>
          <Button kind="quiet" onClick={close}>
            {t.dialog.cancel}
          </Button>
        </Dialog>
      )}
    </>
  )
}
