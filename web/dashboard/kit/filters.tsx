import type { ReactNode } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './filters.module.css'

/** The filters of a list. They are in the address, so Back undoes one. */
export function Filters({ isSet, onClear, children }: { isSet: boolean; onClear: () => void; children: ReactNode }) {
  return (
    <div role="search" aria-label={t.filters.label} className={styles.filters} data-filters>
      {children}
      <span className={styles.clear}>
        {isSet && (
          <Button kind="quiet" onPress={onClear}>
            {t.filters.clear}
          </Button>
        )}
      </span>
    </div>
  )
}
