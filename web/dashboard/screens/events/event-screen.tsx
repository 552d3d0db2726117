import { useParams } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { CopiedId } from '../../kit/id.tsx'
import { JsonBody } from '../../kit/json-body.tsx'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { Time } from '../../kit/time.tsx'

/** One event, as subscribers receive it. */
export function EventScreen() {
  const { id } = useParams({ from: '/frame/events/$id' })
  const query = useRead(['event', id], (api, options) => api.events.get(id, options), { isMain: true, keep: false })
  return (
    <Screen title={t.events.one(query.data?.event ?? id)}>
      <Region query={query} missing={t.events.missing(id)}>
        {(event) => (
          <>
            <Facts
              facts={[
                { name: t.events.id, value: <CopiedId id={event.id} /> },
                { name: t.events.at, value: <Time at={event.created_at} /> },
              ]}
            />
            <Section title={t.events.body}>
              <JsonBody label={t.events.body} value={event} />
            </Section>
          </>
        )}
      </Region>
    </Screen>
  )
}
