import type { Webhook } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Confirm } from '../../kit/confirm.tsx'
import { SecretShown } from './secret-shown.tsx'

/** Asks, makes a new signing secret and shows it once. */
export function RotateSecret({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const write = useWrite({
    write: (api, _: null, options) => api.webhooks.rotateSecret(id, options),
    onDone: (rotated) => setSecret(rotated.secret),
  })
  if (secret !== undefined) return <SecretShown secret={secret} onStored={onClose} />
  return (
    <Confirm
      {...write}
      isOpen
      title={t.webhooks.rotate}
      act={t.webhooks.rotate}
      kind="primary"
      scope="write:webhooks"
      calls={[(api) => api.webhooks.rotateSecret(id)]}
      onClose={onClose}
      onConfirm={() => void write.send(null)}
    >
      <p>{t.webhooks.rotateText}</p>
    </Confirm>
  )
}
