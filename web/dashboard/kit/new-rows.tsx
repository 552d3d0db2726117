import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './new-rows.module.css'

export interface NewRowsProps {
  /** "3 new events"; undefined when there are none. */
  text: string | undefined
  onShow: () => void
}

/** Says that there are new rows, and shows them when asked. Its height is always there, so that no row moves. */
export function NewRows({ text, onShow }: NewRowsProps) {
  return (
    <div aria-live="polite" className={styles.bar}>
      {text !== undefined && (
        <>
          <span>{text}</span>
          <Button kind="quiet" onPress={onShow}>
            {t.events.showNew}
          </Button>
        </>
      )}
    </div>
  )
}
