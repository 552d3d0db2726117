import { useCallback, useEffect, useRef, useState } from 'react'
import { randomId } from '../../shared/random-id.ts'
import { queries } from '../data/client.ts'
import { checkRows, goodRows, NOTHING_DONE, sendRows } from './check-and-send.ts'
import type { ImportTarget } from './import-target.ts'
import { type FoundImport, type KeptImport, KeptImports, type KeptProgress } from './kept-import.ts'
import { guessMapping, type Mapping } from './mapping.ts'
import { type CsvTable, parseCsv } from './parse-csv.ts'
import { type FileText, readText } from './read-text.ts'
import type { RowError } from './row-error.ts'

/** Where an import is. */
export type Step = 'choose' | 'reading' | 'columns' | 'checking' | 'checked' | 'importing' | 'paused' | 'done'

/** What is known of an import. */
export interface ImportState {
  step: Step
  file?: Pick<FileText, 'name' | 'fingerprint'>
  table?: CsvTable
  mapping: Mapping
  /** Rows that were checked or imported so far, of `total`. */
  rows: number
  total: number
  created: number
  changed: number
  /** Rows that cannot be imported, and those that the import did not take. */
  errors: readonly RowError[]
  /** Whether `importing` ends with the batch under way. */
  isPausing?: boolean
  /** The imports that have not ended, of earlier visits too. */
  kept: readonly KeptImport[]
  /** The one of this file. */
  own?: FoundImport | undefined
  error?: Error | undefined
  /** When a busy server is asked again. */
  retryAt?: number | undefined
}

const START: ImportState = { step: 'choose', mapping: [], rows: 0, total: 0, created: 0, changed: 0, errors: [], kept: [] }

/** An import of a file. Leaving the screen pauses it. */
export function useImport(tenantId: number, target: ImportTarget) {
  const [state, setState] = useState(START)
  const [imports] = useState(() => new KeptImports(tenantId, target))
  const work = useRef<AbortController>(undefined)
  /** What a pause ends. */
  const pausable = useRef<AbortController>(undefined)
  const change = (changes: Partial<ImportState>): void => setState((before) => ({ ...before, ...changes }))

  const listKept = async (): Promise<void> => change({ kept: await imports.list() })

  useEffect(() => {
    void listKept()
    return () => work.current?.abort()
  }, [])

  /** Does one thing at a time. What fails is shown, and `step` is where the user can go on. */
  const attempt = async (stepAfterFailure: Step, run: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    work.current?.abort()
    const controller = new AbortController()
    work.current = controller
    pausable.current = controller
    change({ error: undefined, retryAt: undefined, isPausing: false })
    try {
      await run(controller.signal)
    } catch (error) {
      if (controller !== work.current) return
      const isEnded = controller.signal.aborted || pausable.current.signal.aborted
      change({ step: stepAfterFailure, retryAt: undefined, error: isEnded ? undefined : (error as Error) })
    }
  }

  const choose = (chosen: File): Promise<void> =>
    attempt('choose', async (signal) => {
      setState(({ kept }) => ({ ...START, kept, step: 'reading' }))
      await listKept()
      const { text, ...file } = await readText(chosen, signal)
      const table = await parseCsv(text, signal)
      const own = await imports.find(file.fingerprint)
      change({ file, table, own, mapping: guessMapping(table.header, target), step: 'columns' })
      if (own !== undefined) await goOn(table, own.kept, own.progress ?? NOTHING_DONE)
    })

  const check = (): Promise<void> =>
    attempt('columns', async (signal) => {
      const { table, mapping } = state
      if (table === undefined) return
      const end = await checkRows(table, mapping, target, signal, (progress) => change({ step: 'checking', ...progress }))
      change({ step: 'checked', ...end })
    })

  const begin = (): Promise<void> =>
    attempt('checked', async (signal) => {
      const { table, file, mapping, errors: bad } = state
      if (table === undefined || file === undefined) return
      // To keep many rows with errors takes a while, in which the button must not begin a second import.
      change({ step: 'importing', rows: 0 })
      const kept = { id: randomId(), fileName: file.name, fingerprint: file.fingerprint, mapping, beganAt: Date.now(), bad }
      await imports.begin(kept)
      if (signal.aborted) await imports.end(kept)
      signal.throwIfAborted()
      // The oldest may have been dropped.
      await listKept()
      await goOn(table, kept, NOTHING_DONE)
    })

  const goOn = (table: CsvTable, kept: KeptImport, done: KeptProgress): Promise<void> =>
    attempt('paused', async (signal) => {
      // A pause lets the batch under way end: the server may have carried it out already, and the numbers must be those of the server.
      const pausing = new AbortController()
      pausable.current = pausing
      const total = goodRows(table, kept.bad).length
      const show = (progress: KeptProgress): void =>
        change({ ...shownProgress(kept, progress), step: 'importing', retryAt: undefined })
      change({ own: { kept, progress: done }, mapping: kept.mapping, total })
      show(done)
      const end = await sendRows(
        { table, kept, target, signal, pausing: pausing.signal, onWait: (retryAt) => change({ retryAt }) },
        done,
        async (progress) => {
          await imports.advance(kept, progress)
          change({ own: { kept, progress } })
          show(progress)
        },
      )
      await imports.end(kept)
      void queries.invalidateQueries()
      change({ ...shownProgress(kept, end), step: 'done', own: undefined, kept: await imports.list() })
    })

  const setMapping = useCallback((mapping: Mapping) => {
    work.current?.abort()
    setState((before) => ({ ...before, mapping, step: 'columns', errors: [] }))
  }, [])

  return {
    state,
    choose: (file: File) => void choose(file),
    setMapping,
    check: () => void check(),
    begin: () => void begin(),
    goOn: () => {
      const { table, own } = state
      if (table !== undefined && own !== undefined) void goOn(table, own.kept, own.progress ?? NOTHING_DONE)
    },
    /** Sends nothing more. What waits for a busy server is sent again, with its key, when the import goes on. */
    pause: () => {
      change({ isPausing: true })
      pausable.current?.abort()
    },
    forget: (kept: KeptImport) => void imports.end(kept).then(listKept),
  }
}

const shownProgress = ({ bad }: KeptImport, { rows, created, changed, refused }: KeptProgress) => ({
  rows,
  created,
  changed,
  errors: [...bad, ...refused].toSorted((a, b) => a.row - b.row),
})
