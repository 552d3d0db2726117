import type { TenantSettings } from '@fulfillment/sdk'
import { useEffect, useRef } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { announce } from '../../data/messages.ts'
import styles from './settings.module.css'

/** That reserving is being turned on or off. Its end is told in passing. */
export function Switching({ settings: { reservation_policy: policy, reservation_state: state } }: { settings: TenantSettings }) {
  const before = useRef(state)
  useEffect(() => {
    if (before.current === 'switching' && state === 'ready') announce(policy === 'off' ? t.settings.isOff : t.settings.isOn)
    before.current = state
  }, [state, policy])
  if (state === 'ready') return null
  return (
    <div role="status" className={styles.switching}>
      <p>{policy === 'off' ? t.settings.turningOff : t.settings.turningOn}</p>
      <progress aria-label={t.settings.progress} />
    </div>
  )
}
