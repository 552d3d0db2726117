import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { LabelSheet } from '../../kit/label-sheet.tsx'
import { PagedList } from '../../kit/paged-list.tsx'
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
        {({ locations, pagination }) => (
          <PagedList
            pagination={pagination}
            total={t.locations.total}
            empty={<Empty text={t.locations.none} />}
            page={page}
            onPage={(next) => void navigate({ search: { page: next } })}
          >
            <LabelSheet labels={locations.map(labelOf)} />
          </PagedList>
        )}
      </Region>
    </Screen>
  )
}

const labelOf = ({ id, code, name }: { id: string; code: string; name: string | null }) => ({
  id,
  code,
  note: name === code ? null : name,
})
