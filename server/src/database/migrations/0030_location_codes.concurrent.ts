import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // A scan finds a location by its code.
  { index: 'locations_by_code', table: 'locations', definition: '(tenant_id, code)' },
]
