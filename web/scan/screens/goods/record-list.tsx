import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { formatDay } from '../../../shared/format.ts'
import { localToday } from '../../../shared/local-today.ts'
import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import type { CodeHandler } from '../../app/app.ts'
import { online } from '../../app/calls.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useReading } from '../../app/use-reading.ts'
import { forgetOver, isBegun, openRecord, refreshRecord, rowsOf } from '../../goods/actions.ts'
import { findByReference, inOrder, type Listed, type OpenRecords, readOpen } from '../../goods/open-records.ts'
import { isOpen, type KnownRecord, nameOf, refOf } from '../../goods/record.ts'
import { Button } from '../../kit/button.tsx'
import type { RecordKind, RecordRef } from '../../queue/entry.ts'
import styles from '../screens.module.css'
import { CodeField } from '../code-field.tsx'

const PAGE = 50
const MOST = 100

/** Records of a kind that can be received or counted: those begun on this device first. */
export function RecordList({ kind }: { kind: RecordKind }) {
  const app = useApp()
  const { title, none } = goods.lists[kind]
  const [limit, setLimit] = useState(PAGE)
  const { open, refusal } = useOpenRecords(kind, limit)
  useTitle(title)
  const rows = rowsOf(app.kept, kind)
  const begun = rows.filter((row) => isBegun(app.kept, row)).map(({ known }) => known)
  const isBegunOne = (id: number): boolean => begun.some(({ record }) => record.id === id)
  // Without a connection, what was opened here before.
  const listed = inOrder(open?.listed ?? rows.map(({ known }) => known).filter(isOpen))
  const openScanned: CodeHandler = async (texts, at, _codes, scan) => {
    const isCalled = ({ record: { reference } }: Listed | KnownRecord): boolean => reference !== null && texts.includes(reference)
    const found = [...begun, ...listed].find(isCalled)
    const ref = found === undefined ? await search(app, kind, texts) : refOf(found)
    if (ref === undefined) return app.ui.problem !== undefined
    await openRecord(app, ref, at, scan)
    return true
  }
  useCodes(openScanned, { leads: true, isList: true })
  const openTapped = (one: Listed | KnownRecord): void => app.lead(openRecord(app, refOf(one)))
  return (
    <div className={styles.screen}>
      <h1>{title}</h1>
      <p className={styles.quiet}>{goods.lists.hint}</p>
      {begun.map((known) => (
        <Button key={known.record.id} kind="primary" onClick={() => openTapped(known)}>
          {goods.lists.goOn(nameOf(known))}
        </Button>
      ))}
      {!app.ui.isOnline && <p className={styles.notice}>{goods.lists.offline}</p>}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {open?.listed.length === 0 && <p>{none}</p>}
      <ul aria-label={title} className={styles.list}>
        {listed
          .filter(({ record }) => !isBegunOne(record.id))
          .map((one) => (
            <RecordItem key={one.record.id} one={one} onOpen={() => openTapped(one)} />
          ))}
      </ul>
      {open?.hasMore === true && limit < MOST && <Button onClick={() => setLimit(MOST)}>{goods.lists.more}</Button>}
      <CodeField />
    </div>
  )
}

/** Open records as the server has them. What ended elsewhere leaves the device. */
function useOpenRecords(kind: RecordKind, limit: number): { open: OpenRecords | undefined; refusal: string | undefined } {
  const app = useApp()
  const [open, setOpen] = useState<OpenRecords>()
  const read = async (): Promise<void> => {
    const now = await readOpen(app.api.client, kind, limit)
    const isListed = (id: number): boolean => now.listed.some(({ record }) => record.id === id)
    for (const { known } of rowsOf(app.kept, kind)) if (!isListed(known.record.id)) await refreshRecord(app, refOf(known))
    await forgetOver(app, rowsOf(app.kept, kind))
    setOpen(now)
  }
  const refusal = useReading(read, [kind, limit])
  return { open: app.ui.isOnline ? open : undefined, refusal }
}

async function search(
  app: ReturnType<typeof useApp>,
  kind: RecordKind,
  texts: readonly string[],
): Promise<RecordRef | undefined> {
  for (const text of texts) {
    const found = await online(app, async () => (await findByReference(app.api.client, kind, text)) ?? null)
    if (found === undefined) return undefined
    if (found !== null) return refOf(found)
  }
  return undefined
}

function RecordItem({ one, onOpen }: { one: Listed | KnownRecord; onOpen: () => void }) {
  return (
    <li className={styles.order}>
      <Button kind="quiet" onClick={onOpen}>
        {goods.lists[one.kind].open(nameOf(one))}
      </Button>
      {one.kind === 'count' ? (
        <span>{goods.lists.counted(one.record.lines_counted, one.record.lines_total)}</span>
      ) : (
        <>
          <span>{goods.lists.received(one.record.total_received, one.record.total_quantity)}</span>
          <Expected day={one.record.expected_at} />
          <span className={styles.quiet}>{originOf(one)}</span>
        </>
      )}
    </li>
  )
}

function Expected({ day }: { day: string | null }) {
  if (day === null) return null
  const isOverdue = day < localToday()
  return (
    <span className={isOverdue ? styles.overdue : ''}>
      {isOverdue && <TriangleAlert aria-hidden size={20} />}
      {isOverdue ? goods.lists.overdue(formatDay(day)) : goods.lists.expectedAt(formatDay(day))}
    </span>
  )
}

/** Where the goods come from, as far as it was said. */
function originOf(one: Exclude<Listed | KnownRecord, { kind: 'count' }>): string {
  if (one.kind === 'inbound') return one.record.supplier ?? ''
  return one.record.order_tenant_id === null ? '' : goods.lists.order(one.record.order_tenant_id)
}
