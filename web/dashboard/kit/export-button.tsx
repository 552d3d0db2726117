import { download } from '../../shared/download.ts'
import { t } from '../../shared/texts/texts.ts'
import { type ListToExport, startExport } from '../data/client.ts'
import type { Scope } from '../data/scopes.ts'
import { useWrite } from '../data/use-write.ts'
import { Button } from './button.tsx'
import { ErrorNote } from './error-note.tsx'

/** Downloads all rows that the filters match as CSV. */
export function ExportButton({ scope, ...list }: ListToExport & { scope: Scope }) {
  const { send, isSaving, error, retryAt, stop } = useWrite({
    // Also for whoever is on another screen by then.
    write: async (_client, exported: ListToExport) => download((await startExport(exported)).url),
    done: () => t.export.started,
  })
  return (
    <>
      <Button scope={scope} isSaving={isSaving} onPress={() => void send(list)}>
        {t.export.button}
      </Button>
      <ErrorNote error={error} retryAt={retryAt} stop={stop} />
    </>
  )
}
