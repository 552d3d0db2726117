import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './kit.module.css'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style' | 'disabled' | 'type'> {
  children: ReactNode
  kind?: 'primary' | 'plain' | 'quiet' | 'alarm'
  /** Barcode that presses this button while it is shown. */
  command?: `FC-${string}`
  /** What it started is under way: a tap does nothing, and focus stays. */
  isBusy?: boolean
  isDisabled?: boolean
  isSubmit?: boolean
  /** A key of a keypad: it counts however fast it is tapped again. */
  isKey?: boolean
}

/** A button for fingers in gloves. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', command, isBusy = false, isDisabled = false, isSubmit = false, isKey = false, ...rest } = props
  return (
    <button
      {...rest}
      {...(isBusy ? { onClick: (event) => event.preventDefault(), 'aria-disabled': true } : {})}
      type={isSubmit ? 'submit' : 'button'}
      className={`${styles.button} ${styles[kind]}`}
      data-command={command}
      data-key={isKey ? '' : undefined}
      disabled={isDisabled}
    />
  )
}
