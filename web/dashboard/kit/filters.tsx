import { Fragment, type ReactNode, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './filters.module.css'

/** The filters of a list. They are in the address, so Back undoes one. */
export function Filters({ isSet, onClear, children }: { isSet: boolean; onClear: () => void; children: ReactNode }) {
  const [cleared, setCleared] = useState(0)
  const clear = (): void => {
    setCleared((times) => times + 1)
    onClear()
  }
  return (
    <div role="search" aria-label={t.filters.label} className={styles.filters} data-filters>
      {/* The fields begin anew: a filter that is typed and not yet in the address is cleared, too. */}
      <Fragment key={cleared}>{children}</Fragment>
      <span className={styles.clear}>
        {isSet && (
          <Button kind="quiet" onPress={clear}>
            {t.filters.clear}
          </Button>
        )}
      </span>
    </div>
  )
}
