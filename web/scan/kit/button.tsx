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
  /** What it is about, where that changes and its text does not tell: the second tap of a double tap does nothing to another one. */
  about?: string | undefined
}

/** A button for fingers in gloves. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', command, isBusy = false, isDisabled = false, isSubmit = false, about, ...rest } = props
  return (
    <button
      {...rest}
      {...(isBusy ? { onClick: (event) => event.preventDefault(), 'aria-disabled': true } : {})}
      type={isSubmit ? 'submit' : 'button'}
      className={`${styles.button} ${styles[kind]}`}
      data-command={command}
      data-about={about}
      disabled={isDisabled}
    />
  )
}
