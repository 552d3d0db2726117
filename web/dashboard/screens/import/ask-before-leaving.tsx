import { useBlocker } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import form from '../../kit/form.module.css'

/** While something is under way, leaving the screen asks first; the browser itself asks before a reload. */
export function AskBeforeLeaving({ isOn }: { isOn: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isOn,
    enableBeforeUnload: () => isOn,
    withResolver: true,
  })
  return (
    <Dialog title={t.import.leave} isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p>{t.import.leaveText}</p>
      <div className={form.buttons}>
        <Button onPress={() => reset?.()}>{t.dialog.back}</Button>
        <Button kind="primary" onPress={() => proceed?.()}>
          {t.import.leaveAct}
        </Button>
      </div>
    </Dialog>
  )
}
