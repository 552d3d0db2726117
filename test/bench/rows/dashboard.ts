import type { Bench, Measurement, Row } from '../row.ts'

interface Measures {
  measureLiveList(bench: Bench): Promise<Measurement>
  measureImport(bench: Bench): Promise<Measurement>
  measureOpenTabs(bench: Bench): Promise<Measurement>
}

/** Not imported above: it needs a browser, and the types of one. */
const load = async (): Promise<Measures> =>
  (await import(new URL('../../web/bench/dashboard.ts', import.meta.url).href)) as Measures

/** Rows about the dashboard, in a browser. They measure the built pages; `npm run bench` builds them. */
export const dashboard: Row[] = [
  {
    name: 'dashboard-live',
    title: 'dashboard: an order made over the API until it is on an open list, 95th percentile over 4 s',
    must: 1,
    aim: 0.9,
    higherIsBetter: false,
    unit: 'ms',
    measure: async (bench) => await (await load()).measureLiveList(bench),
  },
  {
    name: 'dashboard-tabs',
    title: 'dashboard: statements a second that the pulses of 50 open tabs cost',
    must: 1.5,
    aim: 1.1,
    higherIsBetter: false,
    unit: 'a second',
    measure: async (bench) => await (await load()).measureOpenTabs(bench),
  },
  {
    name: 'dashboard-import',
    title: 'dashboard: importing a file of 200,000 products, read, checked and sent, over 5 minutes',
    must: 1,
    aim: 0.5,
    higherIsBetter: false,
    unit: 's',
    onRequest: true,
    measure: async (bench) => await (await load()).measureImport(bench),
  },
]
