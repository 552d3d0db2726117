import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './kit.module.css'

interface DialogProps {
  title: string
  role?: 'dialog' | 'alertdialog'
  isAlarm?: boolean
  /** After Esc. Absent: nothing but a button of the dialog closes it. */
  onClose?: (() => void) | undefined
  children: ReactNode
}

/** A modal dialog, open as long as it is drawn. The browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, role = 'dialog', isAlarm = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={heading}
      className={`${styles.dialog} ${isAlarm ? styles.alarmed : ''}`}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={({ currentTarget }) => {
        // Not by us: after Esc or Android's Back twice without another key in between, browsers do not ask.
        if (!currentTarget.isConnected || currentTarget.open) return
        if (onClose === undefined) currentTarget.showModal()
        else onClose()
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}
