import type { ConcurrentStep } from '../build-indexes.ts'

/** Checks the rows of before, which blocks no writes. */
export const steps: ConcurrentStep[] = [{ sql: 'alter table operators validate constraint operators_tenant_id_fkey' }]
