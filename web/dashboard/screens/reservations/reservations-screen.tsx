import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { RadioGroup } from '../../kit/choices.tsx'
import { Screen } from '../../kit/screen.tsx'
import { HoldsList } from './holds-list.tsx'
import { ReservationsList } from './reservations-list.tsx'

/** Who has reserved what, or waits for it; and the stock that is kept for carts. */
export function ReservationsScreen() {
  const { show } = useSearch({ from: '/frame/reservations' })
  const navigate = useNavigate({ from: '/reservations' })
  const canReadHolds = useScope('read:orders')
  const lists = [
    { value: 'reservations' as const, label: t.reservations.lists.reservations },
    {
      value: 'holds' as const,
      label: t.reservations.lists.holds,
      reason: canReadHolds ? undefined : t.session.lacks('read:orders'),
    },
  ]
  return (
    <Screen title={t.nav.reservations}>
      <RadioGroup
        label={t.reservations.show}
        isLabelHidden
        isSegmented
        options={lists}
        value={show ?? 'reservations'}
        onChange={(list) => void navigate({ search: list === 'holds' ? { show: list } : {} })}
      />
      {show === 'holds' ? <HoldsList /> : <ReservationsList />}
    </Screen>
  )
}
