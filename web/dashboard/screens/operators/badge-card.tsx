import type { Operator } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import form from '../../kit/form.module.css'
import { PrintButton } from '../../kit/print-button.tsx'
import { Symbols } from '../../kit/symbols.tsx'
import styles from './badge-card.module.css'

interface Props {
  operator: Operator
  /** What a scanner reads. It cannot be read again. */
  badge: string
  onClose: () => void
}

/** The badge that was issued just now, as a card to print. */
export function BadgeCard({ operator, badge, onClose }: Props) {
  return (
    <Dialog title={t.operators.badgeOf(operator.name)} isOpen onClose={onClose}>
      <p>{t.operators.badgeText}</p>
      <div className={styles.card} data-print>
        <strong className={styles.name}>{operator.name}</strong>
        <Symbols text={badge} />
        <code className={styles.code}>{badge}</code>
      </div>
      <div className={form.buttons}>
        <Button onPress={onClose}>{t.dialog.close}</Button>
        <PrintButton />
      </div>
    </Dialog>
  )
}
