import type { Operator } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Time } from '../../kit/time.tsx'
import { AddOperator } from './add-operator.tsx'
import { EditOperator } from './edit-operator.tsx'
import { OperatorActions, type OperatorActionsProps } from './operator-actions.tsx'

const LIMIT = 50

/** Who picks with devices, by name. */
export function OperatorsScreen() {
  const { page = 1 } = useSearch({ from: '/frame/operators' })
  const navigate = useNavigate({ from: '/operators' })
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<Operator>()
  const query = useRead(['operators', page], (api, options) => api.operators.list({ page, limit: LIMIT }, options), {
    isMain: true,
  })
  const hasOperators = (query.data?.pagination.total ?? 0) > 0
  const add = (
    <Button kind="primary" scope="admin" onPress={() => setAdding(true)}>
      {t.operators.add}
    </Button>
  )
  return (
    <Screen title={t.nav.operators} actions={hasOperators && add}>
      <PagedTable
        query={query}
        caption={t.nav.operators}
        columns={columns({ onEdit: setEdited })}
        rowsOf={({ operators }) => operators}
        rowKey={({ id }) => id}
        total={t.operators.total}
        empty={<Empty text={t.operators.none}>{add}</Empty>}
        page={page}
        onPage={(next) => void navigate({ search: { page: next } })}
      />
      {isAdding && <AddOperator onClose={() => setAdding(false)} />}
      {edited !== undefined && <EditOperator operator={edited} onClose={() => setEdited(undefined)} />}
    </Screen>
  )
}

const columns = (actions: Omit<OperatorActionsProps, 'operator'>): Column<Operator>[] => [
  { id: 'name', header: t.operators.name, isWide: true, cell: ({ name }) => name },
  { id: 'email', header: t.operators.email, isWide: true, cell: ({ email }) => email },
  {
    id: 'stock',
    header: t.operators.mayChangeStock,
    isTight: true,
    cell: ({ may_change_stock }) => (may_change_stock ? t.products.yes : t.products.no),
  },
  { id: 'badge', header: t.operators.badge, cell: ({ has_badge }) => (has_badge ? t.operators.hasBadge : <None />) },
  { id: 'last', header: t.operators.lastActive, isTight: true, cell: ({ last_active_at }) => <Time at={last_active_at} /> },
  {
    id: 'state',
    header: t.operators.state,
    cell: ({ is_active }) => (
      <Badge kind={is_active ? 'ok' : 'muted'}>{is_active ? t.operators.active : t.operators.inactive}</Badge>
    ),
  },
  { id: 'actions', header: t.keys.actions, cell: (operator) => <OperatorActions operator={operator} {...actions} /> },
]
