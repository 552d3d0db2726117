import { Link } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { UnitsPicked } from '../../charts/units-picked.tsx'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Panel } from './panel.tsx'

/** How much is being picked, what waits for it, and the units of today by hour. */
export function PickingNow() {
  const running = useRead(['flows', 'started', 'count'], (api, options) =>
    api.flows.list({ state: 'started', limit: 1 }, options),
  )
  const ready = useRead(['queue', 'count'], (api, options) => api.flows.queue({ limit: 1 }, options))
  return (
    <Panel title={t.home.pickingNow}>
      <Region query={running} rows={1}>
        {({ pagination }) => (
          <p>
            <Link to="/picking">{t.home.flows(pagination.total)}</Link>
          </p>
        )}
      </Region>
      <Region query={ready} rows={1}>
        {({ pagination }) => <p>{t.home.ready(pagination.total)}</p>}
      </Region>
      <UnitsPicked days={1} />
    </Panel>
  )
}
