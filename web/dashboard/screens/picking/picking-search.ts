import { pageOf } from '../../search-parameters.ts'

/** The page of each list, as it is in the address. */
export interface PickingSearch {
  running?: number | undefined
  batches?: number | undefined
  ready?: number | undefined
  done?: number | undefined
}

export function parsePickingSearch(search: Record<string, unknown>): PickingSearch {
  return {
    running: pageOf(search.running),
    batches: pageOf(search.batches),
    ready: pageOf(search.ready),
    done: pageOf(search.done),
  }
}
