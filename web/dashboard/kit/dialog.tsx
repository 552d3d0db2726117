import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

export interface DialogProps {
  title: string
  isOpen: boolean
  /** Absent: nothing but the dialog's own buttons closes it. */
  onClose?: (() => void) | undefined
  /** What Esc does instead of closing it. */
  onEscape?: (() => void) | undefined
  role?: 'dialog' | 'alertdialog'
  isWide?: boolean
  isTitleHidden?: boolean
  children: ReactNode
}

/** A dialog. Pressing beside it does not close it: what is typed would be lost. */
export function Dialog({
  title,
  isOpen,
  onClose,
  onEscape,
  role = 'dialog',
  isWide = false,
  isTitleHidden = false,
  children,
}: DialogProps) {
  return (
    <ModalOverlay
      className={styles.overlay}
      isOpen={isOpen}
      isDismissable={false}
      isKeyboardDismissDisabled={onClose === undefined && onEscape === undefined}
      onOpenChange={(open) => {
        if (!open) (onEscape ?? onClose)?.()
      }}
    >
      <Modal className={`${styles.modal} ${isWide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog} role={role}>
          <header className={isTitleHidden ? 'visually-hidden' : styles.head}>
            <Heading slot="title" className={styles.title}>
              {title}
            </Heading>
            {onClose !== undefined && !isTitleHidden && (
              <Button kind="quiet" aria-label={t.dialog.close} onPress={onClose}>
                <X size={16} aria-hidden />
              </Button>
            )}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
