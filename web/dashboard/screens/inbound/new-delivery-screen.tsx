import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { Screen } from '../../kit/screen.tsx'
import { AnnounceRecord } from '../../receiving/announce-record.tsx'
import { DELIVERIES } from '../../receiving/kind.ts'

/** Announces a delivery. */
export function NewDeliveryScreen() {
  const navigate = useNavigate()
  return (
    <Screen title={t.inbound.new} hasCurl={false}>
      <AnnounceRecord
        kind={DELIVERIES}
        defaultWarehouse={t.receiving.defaultWarehouse}
        create={(api, input, options) => api.inbound.create(input, options)}
        onCreated={({ id }) => void navigate({ to: '/inbound/$id', params: { id: String(id) } })}
      />
    </Screen>
  )
}
