import { t } from '../../shared/texts/scan-texts.ts'
import { update } from '../app/updates.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'

/** Takes a new build of the app, where there is one. */
export function UpdateButton() {
  const app = useApp()
  return app.ui.update === undefined ? null : <Button onClick={() => update(app)}>{t.update.now}</Button>
}
