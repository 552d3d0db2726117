import { useId } from 'react'
import { Switch as AriaSwitch } from 'react-aria-components'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'
import { useScope } from '../data/session.tsx'
import button from './button.module.css'
import field from './field.module.css'
import styles from './switch.module.css'

export interface SwitchProps {
  label: string
  isSelected: boolean
  onChange: (isSelected: boolean) => void
  /** What the action needs; without it the switch is disabled and says why. */
  scope?: Scope | undefined
  /** While its write is under way. */
  isSaving?: boolean
}

/** Turns something on and off at once. */
export function Switch({ label, isSelected, onChange, scope, isSaving = false }: SwitchProps) {
  const isAllowed = useScope(scope)
  const reason = useId()
  const change = (next: boolean): void => {
    if (!isSaving) onChange(next)
  }
  return (
    <>
      <AriaSwitch
        className={field.choice ?? ''}
        isSelected={isSelected}
        isDisabled={!isAllowed}
        onChange={change}
        {...(isAllowed ? {} : { 'aria-describedby': reason })}
      >
        <span className={styles.track} />
        {label}
      </AriaSwitch>
      {!isAllowed && (
        <span id={reason} className={button.reason}>
          {t.session.lacks(scope ?? '')}
        </span>
      )}
    </>
  )
}
