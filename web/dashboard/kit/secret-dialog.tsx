import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import form from './form.module.css'

export interface SecretDialogProps {
  title: string
  label: string
  copy: string
  copied: string
  value: string
  children?: ReactNode
  /** A navigation in it needs `ignoreBlocker`. */
  onStored: () => void
}

/** Shows a value that cannot be read again. Only its button closes it: Esc, Back and a reload ask first. */
export function SecretDialog({ title, label, copy, copied, value, children, onStored }: SecretDialogProps) {
  const [hasTried, setTried] = useState(false)
  useBlocker({
    shouldBlockFn: () => {
      setTried(true)
      return true
    },
  })
  return (
    <Dialog title={title} isOpen onEscape={() => setTried(true)}>
      <p>{t.secret.warning}</p>
      <Field label={label} value={value} isReadOnly size="wide" />
      {children}
      {hasTried && (
        <p role="alert" className={form.note}>
          {t.secret.ask}
        </p>
      )}
      <div className={form.buttons}>
        <Button onPress={() => void copyText(value, copied)} autoFocus>
          {copy}
        </Button>
        <Button kind="primary" onPress={onStored}>
          {t.secret.stored}
        </Button>
      </div>
    </Dialog>
  )
}
