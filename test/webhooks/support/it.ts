import type { DeliveryEngineOptions } from '@fulfillment/server/delivery/index.ts'
import { it as base } from '../../support/it.ts'
import { encryptionKey, startWorker, type Worker } from './deliveries.ts'

/** Starts a delivery worker on the service's database. It stops when the test ends. */
export type StartWorker = (options?: Partial<DeliveryEngineOptions>) => Worker

/**
 * The `it` of delivery tests. The service is an API server without a delivery engine. A test uses its own `worker`, with its own clock, or
 * starts several workers with `startWorker`.
 */
export const it = base
  .extend('settings', { scope: 'file' }, { role: 'api', encryptionKey })
  .extend('startWorker', async ({ service }, { onCleanup }): Promise<StartWorker> => {
    const started: Worker[] = []
    onCleanup(async () => {
      await Promise.all(started.map((worker) => worker.stop({ graceMs: 0 })))
    })
    return (options) => {
      const worker = startWorker(service, options)
      started.push(worker)
      return worker
    }
  })
  .extend('worker', async ({ startWorker }) => startWorker())
