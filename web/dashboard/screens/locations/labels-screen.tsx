import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { LabelSheet } from '../../kit/label-sheet.tsx'
import { Pages } from '../../kit/pages.tsx'
import { PrintButton } from '../../kit/print-button.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'

const LIMIT = 100

/** A sheet of labels for storage locations: what a label says is what the scan app asks for. */
export function LabelsScreen() {
  const { page = 1 } = useSearch({ from: '/frame/locations/labels' })
  const navigate = useNavigate({ from: '/locations/labels' })
  const query = useRead(['locations', 'labels', page], (api, options) => api.locations.list({ page, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <Screen title={t.labels.title} actions={<PrintButton />}>
      <Region query={query}>
        {({ locations, pagination: { total, total_pages } }) => (
          <>
            {total === 0 ? <Empty text={t.locations.none} /> : <LabelSheet labels={locations.map(labelOf)} />}
            <Pages
              total={t.locations.total(total)}
              page={page}
              totalPages={total_pages}
              onPage={(next) => void navigate({ search: { page: next } })}
            />
          </>
        )}
      </Region>
    </Screen>
  )
}

const labelOf = ({ code, name }: { code: string; name: string | null }) => ({ code, note: name === code ? null : name })
