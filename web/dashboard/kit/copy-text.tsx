import { t } from '../../shared/texts/texts.ts'
import { announce } from '../data/messages.ts'
import { createStore, useStore } from '../data/store.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'

const toCopyByHand = createStore<string | undefined>(undefined)

/** Copies a text; where the browser has no clipboard (plain HTTP off loopback), shows it selected. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(done)
  } catch {
    toCopyByHand.set(() => text)
  }
}

/** The dialog with a text to copy by hand. */
export function CopyByHand() {
  const text = useStore(toCopyByHand)
  return (
    <Dialog title={t.copy.byHand} isOpen={text !== undefined} onClose={() => toCopyByHand.set(() => undefined)}>
      <div onFocus={selectAll}>
        <Field label={t.copy.text} value={text ?? ''} isReadOnly isMultiline size="wide" autoFocus />
      </div>
    </Dialog>
  )
}

function selectAll({ target }: { target: EventTarget }): void {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) target.select()
}
