import { useEffect } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './new-rows.module.css'
import { PointedArea } from './pointed-area.tsx'

interface WaitingProps {
  onShow: () => void
  /** Whether the button that shows them has the focus. */
  onFocusChange?: (isFocused: boolean) => void
}

export interface NewRowsProps extends WaitingProps {
  /** "3 new events"; undefined when there are none. */
  text: string | undefined
}

/** Says that there are new rows, and shows them when asked. Its height is always there, so that no row moves. */
export function NewRows({ text, ...waiting }: NewRowsProps) {
  return (
    <div aria-live="polite" className={styles.bar}>
      {text !== undefined && (
        <PointedArea className={styles.waiting}>
          <span>{text}</span>
          <ShowNew {...waiting} />
        </PointedArea>
      )}
    </div>
  )
}

function ShowNew({ onShow, onFocusChange }: WaitingProps) {
  // A button that goes does not tell that it has lost the focus.
  useEffect(() => () => onFocusChange?.(false), [onFocusChange])
  return (
    <Button kind="quiet" onPress={onShow} {...(onFocusChange === undefined ? {} : { onFocusChange })}>
      {t.events.showNew}
    </Button>
  )
}
