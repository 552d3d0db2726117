import { CircleX } from 'lucide-react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { ProblemNote } from '../app/app.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'

/** Stops the operator. Scans sound the error until it is acknowledged. */
export function ProblemDialog({ note }: { note: ProblemNote }) {
  const app = useApp()
  const { message, scanned, expected, requestId, ways = [] } = note
  return (
    <Dialog title={t.problem.title} role="alertdialog" isAlarm>
      <CircleX aria-hidden size={64} />
      <p>
        <strong>{message}</strong>
      </p>
      {scanned !== undefined && <p>{t.problem.scanned(scanned)}</p>}
      {expected !== undefined && <p>{t.problem.expected(expected)}</p>}
      {requestId !== undefined && <p>{t.dialog.request(requestId)}</p>}
      <Button kind="alarm" command="FC-OK" onClick={() => app.set({ problem: undefined })}>
        {t.problem.ok}
      </Button>
      {ways.map(({ name, run }) => (
        <Button
          key={name}
          kind="alarm"
          onClick={() => {
            app.set({ problem: undefined })
            run()
          }}
        >
          {name}
        </Button>
      ))}
    </Dialog>
  )
}
