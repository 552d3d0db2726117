import type { Call } from '../../shared/curl.ts'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'
import { askBefore } from '../data/unsaved.ts'
import { Button } from './button.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import form from './form.module.css'

export interface FormButtonsProps {
  /** What the button that sends the form says. */
  submit: string
  scope: Scope
  isSaving: boolean
  /** Closes the form of a record without saving it. */
  onDiscard?: () => void
  /** What the form sends, for `Copy as curl`. */
  call: Call
}

/** The buttons below a form. */
export function FormButtons({ submit, scope, isSaving, onDiscard, call }: FormButtonsProps) {
  return (
    <div className={`${form.buttons} ${form.start}`}>
      <Button type="submit" kind="primary" scope={scope} isSaving={isSaving}>
        {submit}
      </Button>
      {onDiscard !== undefined && (
        <Button onPress={() => void askBefore(onDiscard, () => (isSaving ? 'saving' : undefined))}>{t.dialog.discard}</Button>
      )}
      <CopyAsCurl calls={() => [call]} />
    </div>
  )
}
