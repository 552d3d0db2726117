import { createLink, type LinkComponent } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useId } from 'react'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'
import { useScope } from '../data/session.tsx'
import styles from './button.module.css'

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  ref?: Ref<HTMLAnchorElement>
  children?: ReactNode
}

interface ButtonAnchorProps extends AnchorProps {
  kind?: 'primary' | 'plain'
  scope?: Scope | undefined
}

/** A link that looks like a button. Without its scope it leads nowhere and says why. */
function ButtonAnchor({ kind = 'plain', scope, children, ref, ...rest }: ButtonAnchorProps) {
  const allowed = useScope(scope)
  const reason = useId()
  const className = `${styles.button} ${styles[kind]}`
  if (allowed)
    return (
      <a {...rest} ref={ref} className={className}>
        {children}
      </a>
    )
  return (
    <>
      <span role="link" aria-disabled="true" aria-describedby={reason} tabIndex={0} className={className}>
        {children}
      </span>
      <span id={reason} className={styles.reason}>
        {t.session.lacks(scope ?? '')}
      </span>
    </>
  )
}

const CreatedButtonLink = createLink(ButtonAnchor)

/** Its screen is loaded before somebody presses it. Text typed at once would go to a field of the screen before until then. */
export const ButtonLink: LinkComponent<typeof ButtonAnchor> = (props) => <CreatedButtonLink preload="render" {...props} />
