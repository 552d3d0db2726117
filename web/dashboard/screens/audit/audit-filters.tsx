import { t } from '../../../shared/texts/texts.ts'
import { Combo } from '../../kit/combo.tsx'
import { DayFilter, FilterField } from '../../kit/filter-field.tsx'
import { KeyCombo } from '../../kit/key-combo.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import type { Filter } from '../../search-parameters.ts'
import { AUDITED_OPERATIONS } from './audited-operations.ts'
import { type AuditSearch, SURFACES } from './audit-search.ts'

interface Props {
  search: AuditSearch
  filter: Filter<AuditSearch>
}

const OPERATION_OPTIONS = AUDITED_OPERATIONS.map((operation) => ({ id: operation, label: operation }))

/** The filters of the audit log. */
export function AuditFilters({ search, filter }: Props) {
  return (
    <>
      <Combo
        label={t.audit.operation}
        value={search.operation ?? ''}
        options={OPERATION_OPTIONS}
        size="narrow"
        onChoose={({ id }) => filter({ operation: id })}
        onText={(typed) => filter({ operation: typed === '' ? undefined : typed })}
      />
      <KeyCombo keyId={search.key_id} onKey={(key_id) => filter({ key_id })} hasCommandLine />
      <OptionFilter
        label={t.audit.surface}
        any={t.audit.anySurface}
        values={SURFACES}
        labelOf={(surface) => t.audit.surfaces[surface]}
        value={search.surface}
        onFilter={(surface) => filter({ surface })}
      />
      <FilterField
        label={t.audit.requestId}
        value={search.request_id}
        onFilter={(id, isMore) => filter({ request_id: id?.trim() }, isMore)}
      />
      <FilterField
        label={t.audit.operator}
        size="narrow"
        value={search.operator_email}
        onFilter={(email, isMore) => filter({ operator_email: email?.trim() }, isMore)}
      />
      <DayFilter label={t.audit.since} value={search.since} onFilter={(since, isMore) => filter({ since }, isMore)} />
      <DayFilter label={t.audit.until} value={search.until} onFilter={(until, isMore) => filter({ until }, isMore)} />
    </>
  )
}
