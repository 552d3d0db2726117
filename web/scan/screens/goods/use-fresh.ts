import { useApp } from '../../app/use-app.ts'
import { useRepeated } from '../../app/use-repeated.ts'
import { refreshRecord } from '../../goods/actions.ts'
import type { RecordRef } from '../../queue/entry.ts'

/** Reads a record again while its screen is shown: others may receive or count it too. */
export function useFresh({ kind, id }: RecordRef): void {
  const app = useApp()
  useRepeated(() => refreshRecord(app, { kind, id }), [app, kind, id])
}
