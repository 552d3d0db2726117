import type { PickingFlow } from '@fulfillment/sdk'
import { useEffect, useState } from 'react'
import { formatUtc } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { serverNow } from '../../data/client.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { None } from '../../kit/time.tsx'

const MINUTE_MS = 60_000
const TICK_MS = 10_000
const STALE_MINUTES = 15

/** Minutes since the last pick of a running flow, or since it started; marked when it may have been forgotten. */
export function SinceLastPick({ flow }: { flow: PickingFlow }) {
  const lastPick = useLastPick(flow)
  const now = useNow()
  if (lastPick === undefined) return <None />
  const at = lastPick ?? flow.started_at
  const minutes = Math.max(0, Math.floor((now - Date.parse(at)) / MINUTE_MS))
  const text = lastPick === null ? t.picking.noPick(minutes) : t.picking.minutes(minutes)
  return (
    <>
      <time dateTime={at} title={formatUtc(at)}>
        {text}
      </time>{' '}
      {minutes > STALE_MINUTES && <Badge kind="warn">{t.picking.stale}</Badge>}
    </>
  )
}

/** When the last pick was; null when there was none, undefined until it is known. */
function useLastPick({ id, items_picked, total_quantity_picked }: PickingFlow): string | null | undefined {
  const hasPicks = items_picked > 0
  // Only a pick changes the quantity: until then the flow is not read again. A key that began with `flow` would be, with every change of the
  // tenant's stock: for 50 rows, that is more requests than the session's limit allows.
  const { data } = useRead(['last pick', id, total_quantity_picked], (api, options) => api.flows.get(id, options), {
    enabled: hasPicks,
    isFinal: true,
  })
  return hasPicks ? data?.picks.at(-1)?.created_at : null
}

function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return Math.max(now, serverNow())
}
