import { useBlocker } from '@tanstack/react-router'
import { t } from '../../shared/texts/texts.ts'
import { hasUnsaved, isDocumentUnsaved, mayDiscard, question } from '../data/unsaved.ts'
import { useStore } from '../data/store.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import form from '../kit/form.module.css'

/** Asks before what was typed is lost: one question, whatever was typed where. Before a reload the browser asks. */
export function UnsavedQuestion() {
  const answer = useStore(question)
  useBlocker({ shouldBlockFn, enableBeforeUnload: isDocumentUnsaved })
  const stay = (): void => answer?.(false)
  return (
    <Dialog role="alertdialog" title={t.unsaved.title} isOpen={answer !== undefined} onClose={stay}>
      <p>{t.unsaved.text}</p>
      <div className={form.buttons}>
        <Button onPress={stay} autoFocus>
          {t.unsaved.stay}
        </Button>
        <Button kind="bad" onPress={() => answer?.(true)}>
          {t.unsaved.discard}
        </Button>
      </div>
    </Dialog>
  )
}

interface Navigation {
  current: { pathname: string }
  next: { pathname: string }
}

const shouldBlockFn = async ({ current, next }: Navigation): Promise<boolean> =>
  hasUnsaved(current.pathname !== next.pathname) && !(await mayDiscard())
