import type { StockReconcileResult } from '@fulfillment/sdk'
import { useEffect, useRef, useState } from 'react'
import { isNoSession, waitOf } from '../../../shared/api.ts'
import { client } from '../../data/client.ts'
import { pause } from '../../data/pause.ts'
import { whenSignedIn } from '../../data/session.tsx'
import { keepLastReconcile } from './last-reconcile.ts'

export type Difference = StockReconcileResult['differences'][number]

/** How far a check has come. */
export interface Reconciling {
  state: 'running' | 'stopped' | 'done' | 'failed'
  products: number
  levels: number
  /** All that were found; the first of them are kept. */
  differenceCount: number
  differences: readonly Difference[]
  error?: Error
  retryAt?: number
}

/** Products of a page. */
export const RECONCILE_LIMIT = 100
const MAX_KEPT = 1_000

const START: Reconciling = { state: 'running', products: 0, levels: 0, differenceCount: 0, differences: [] }

/** Checks all products page by page. Leaving the screen stops it. */
export function useReconcile(tenantId: number) {
  const [progress, setProgress] = useState<Reconciling>()
  const stopping = useRef<AbortController>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const run = async (): Promise<void> => {
    const controller = new AbortController()
    stopping.current?.abort()
    stopping.current = controller
    const end = await checkAll(controller.signal, setProgress)
    setProgress(end)
    const { products, levels, differenceCount: differences, state } = end
    // What was stopped before its first page says nothing, and must not take the place of a result.
    if (state === 'failed' || (state === 'stopped' && products === 0)) return
    keepLastReconcile(tenantId, { at: new Date().toISOString(), levels, differences, isWhole: state === 'done' })
  }
  return { progress, run: () => void run(), stop: () => stopping.current?.abort() }
}

async function checkAll(signal: AbortSignal, onProgress: (progress: Reconciling) => void): Promise<Reconciling> {
  let progress = START
  onProgress(progress)
  try {
    for (let cursor: number | null = 0; cursor !== null;) {
      const page: StockReconcileResult = await pageAfter(cursor, signal, (retryAt) => onProgress({ ...progress, retryAt }))
      progress = added(progress, page)
      onProgress(progress)
      cursor = page.next_cursor
    }
    return { ...progress, state: 'done' }
  } catch (error) {
    return signal.aborted ? { ...progress, state: 'stopped' } : { ...progress, state: 'failed', error: error as Error }
  }
}

const added = (before: Reconciling, page: StockReconcileResult): Reconciling => ({
  state: 'running',
  products: before.products + page.products_checked,
  levels: before.levels + page.levels_checked,
  differenceCount: before.differenceCount + page.differences.length,
  differences: [...before.differences, ...page.differences].slice(0, MAX_KEPT),
})

/** A page; waits when the server asks for it, and for a sign-in over the screen. */
async function pageAfter(cursor: number, signal: AbortSignal, onWait: (until: number) => void): Promise<StockReconcileResult> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await client.stock.reconcile({ cursor, limit: RECONCILE_LIMIT }, { signal })
    } catch (error) {
      const waitMs = waitOf(error)
      if (isNoSession(error)) await whenSignedIn()
      else if (waitMs === undefined) throw error
      else {
        onWait(Date.now() + waitMs)
        await pause(waitMs, signal)
      }
    }
  }
}
