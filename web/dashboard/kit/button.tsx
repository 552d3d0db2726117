import { LoaderCircle } from 'lucide-react'
import { type ReactNode, use, useId } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'
import { lacksScope, SessionContext } from '../data/session.tsx'
import styles from './button.module.css'

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  children: ReactNode
  kind?: 'primary' | 'plain' | 'bad' | 'quiet'
  /** What the action needs; without it the button is disabled and says why. */
  scope?: Scope | undefined
  /** The button stays while its write is under way. */
  isSaving?: boolean
}

// A press does nothing then: what it would send is under way.
const SAVING: Pick<AriaButtonProps, 'onPress' | 'type' | 'render'> = {
  onPress: () => undefined,
  type: 'button',
  render: (props) => <button {...props} aria-disabled />,
}

/**
 * A button. It is `aria-disabled` with a spinner while its write is under way, so that focus stays on it. Not by the library's `isPending`:
 * that announces an element named by the button for seven seconds, and a dialog that closes after its write takes the name away.
 */
export function Button({ kind = 'plain', scope, isSaving = false, isDisabled, children, ...rest }: ButtonProps) {
  // Sign-in has buttons too, and no session.
  const session = use(SessionContext)
  const allowed = !lacksScope(session, scope)
  const reason = useId()
  const text = allowed ? undefined : t.session.lacks(scope ?? '')
  return (
    <>
      <AriaButton
        {...rest}
        {...(text === undefined ? {} : { 'aria-describedby': reason })}
        className={`${styles.button} ${styles[kind]}`}
        isDisabled={isDisabled === true || !allowed}
        {...(isSaving ? SAVING : {})}
      >
        {isSaving && <LoaderCircle className={styles.spinner} aria-hidden size={16} />}
        {children}
      </AriaButton>
      {text !== undefined && (
        <span id={reason} className={styles.reason}>
          {text}
        </span>
      )}
    </>
  )
}
