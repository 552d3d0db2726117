import { useBlocker } from '@tanstack/react-router'
import { t } from '../../shared/texts/texts.ts'
import { isDocumentUnsaved, mayLeave, question, unsavedNow } from '../data/unsaved.ts'
import { useStore } from '../data/store.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import form from '../kit/form.module.css'

/** Asks before what was typed is lost, or a write under way is left: one question, whatever it is about. Before a reload the browser asks. */
export function UnsavedQuestion() {
  const open = useStore(question)
  useBlocker({ shouldBlockFn, enableBeforeUnload: isDocumentUnsaved })
  const texts = t.unsaved[open?.about ?? 'typed']
  const stay = (): void => open?.answer(false)
  return (
    <Dialog role="alertdialog" title={texts.title} isOpen={open !== undefined} onClose={stay}>
      <p>{texts.text}</p>
      <div className={form.buttons}>
        <Button onPress={stay} autoFocus>
          {t.unsaved.stay}
        </Button>
        <Button kind={open?.about === 'saving' ? 'plain' : 'bad'} onPress={() => open?.answer(true)}>
          {texts.leave}
        </Button>
      </div>
    </Dialog>
  )
}

interface Navigation {
  current: { pathname: string }
  next: { pathname: string }
}

async function shouldBlockFn({ current, next }: Navigation): Promise<boolean> {
  const about = unsavedNow(current.pathname !== next.pathname)
  return about !== undefined && !(await mayLeave(about))
}
