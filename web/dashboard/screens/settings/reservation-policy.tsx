import type { SettingsUpdateParams, TenantSettings } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { RadioGroup } from '../../kit/choices.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { TurnOffReserving } from './turn-off-reserving.tsx'
import styles from './settings.module.css'

type Policy = TenantSettings['reservation_policy']

const POLICIES = ['off', 'track', 'strict'] as const

/** The choice of a policy, with what it means and what the switch to it does. To turn reserving off is asked once more. */
export function ReservationPolicy({ settings: { reservation_policy: present } }: { settings: TenantSettings }) {
  const [chosen, setChosen] = useState<Policy>()
  const [isAsking, setAsking] = useState(false)
  const policy = chosen ?? present
  const write = useWrite({
    write: (api, input: SettingsUpdateParams, options) => api.settings.update(input, options),
    done: ({ reservation_policy }) => t.settings.policySaved(t.settings.policies[reservation_policy]),
    onDone: () => setChosen(undefined),
  })
  const input = { reservation_policy: policy }
  return (
    <>
      <Form
        {...write}
        label={t.settings.policy}
        typed={policy}
        first={present}
        buttons={
          <FormButtons
            submit={t.settings.savePolicy}
            scope="admin"
            isSaving={write.isSaving}
            call={(api) => api.settings.update(input)}
          />
        }
        onSubmit={() => {
          if (policy === 'off' && present !== 'off') setAsking(true)
          else void write.send(input)
        }}
      >
        <RadioGroup
          label={t.settings.policy}
          name="reservation_policy"
          options={POLICIES.map((value) => ({ value, label: t.settings.policies[value] }))}
          value={policy}
          onChange={setChosen}
        />
        <PolicyTexts />
        <p role="status">{policy === present ? '' : switchText(present, policy)}</p>
      </Form>
      {isAsking && <TurnOffReserving onDone={() => setChosen(undefined)} onClose={() => setAsking(false)} />}
    </>
  )
}

function PolicyTexts() {
  return (
    <dl className={styles.policies}>
      {POLICIES.map((policy) => (
        <div key={policy}>
          <dt>{t.settings.policies[policy]}</dt>
          <dd>{t.settings.policyTexts[policy]}</dd>
        </div>
      ))}
    </dl>
  )
}

function switchText(from: Policy, to: Policy): string {
  if (to === 'off') return t.settings.turnsOff
  return from === 'off' ? t.settings.turnsOn : t.settings.keepsAll
}
