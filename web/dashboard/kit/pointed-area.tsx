import { type ReactNode, useEffect, useId } from 'react'
import { enterList, forgetList, leaveList } from '../data/pointed-list.ts'

/**
 * Rows that leave from under the pointer do not tell that it has left. Nor does React tell that the pointer has entered rows that were drawn in
 * place of others: it rests, and comes from an element around both. That it is over them is told.
 */
export function PointedArea({ className, children }: { className?: string | undefined; children: ReactNode }) {
  const area = useId()
  useEffect(() => () => forgetList(area), [area])
  return (
    <div className={className} onPointerOver={() => enterList(area)} onPointerLeave={() => leaveList(area)}>
      {children}
    </div>
  )
}
