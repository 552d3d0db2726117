import { useRef, useState } from 'react'
import { useApp } from '../../app/use-app.ts'
import { rowOf } from '../../goods/actions.ts'
import { textOf, withTyped } from '../../goods/counting.ts'
import { type DraftItem, recordKey } from '../../goods/record.ts'
import type { RecordRef } from '../../queue/entry.ts'

/**
 * The text in the field for a counted quantity, and what changes it. It is stored in the draft, so that it is there after a reload, and shown
 * before it is stored, so that no key is lost. Each scan adds to it, and the sum
 * takes its place.
 */
export function useTyped(ref: RecordRef, item: DraftItem | null): [typed: string, type: (text: string) => void] {
  const app = useApp()
  const [entered, setEntered] = useState({ scanned: '', text: '' })
  const latest = useRef('')
  const scanned = item === null ? '' : `${item.pick_id} ${item.quantity}`
  const type = (text: string): void => {
    latest.current = text
    setEntered({ scanned, text })
    void app.keep((kept) => {
      const row = rowOf(kept, ref)
      // Keys that come faster than the device stores them are stored once: a scan into the field does not wait for each of its characters.
      const draft = row && item && row.draft.item?.typed !== latest.current && withTyped(row.draft, item, latest.current)
      return draft ? { records: new Map([[recordKey(ref), { ...row, draft }]]) } : undefined
    })
  }
  return [entered.scanned === scanned ? entered.text : item === null ? '' : textOf(item), type]
}
