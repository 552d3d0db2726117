import type { TenantSettings } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { Time } from '../../kit/time.tsx'
import { ReservationPolicy } from './reservation-policy.tsx'
import { Switching } from './switching.tsx'
import { WeightBarcodes } from './weight-barcodes.tsx'

/** The settings of the tenant; the sandbox has its own. */
export function SettingsScreen() {
  const query = useRead(['settings'], (api, options) => api.settings.get(options), {
    isMain: true,
    isPending: ({ reservation_state }) => reservation_state === 'switching',
  })
  return (
    <Screen title={t.nav.settings}>
      <Region query={query}>
        {(settings) => (
          <>
            <Section title={t.settings.reserving}>
              <Switching settings={settings} />
              <ReservationPolicy settings={settings} />
            </Section>
            <Section title={t.settings.weightBarcodes}>
              <WeightBarcodes settings={settings} />
            </Section>
            <Facts facts={factsOf(settings)} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const factsOf = ({ updated_at }: TenantSettings) => [
  { name: t.settings.changed, value: updated_at === null ? t.settings.never : <Time at={updated_at} /> },
]
