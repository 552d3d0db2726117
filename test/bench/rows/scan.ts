import type { Bench, Measurement, Row } from '../row.ts'

interface Measures {
  measureVerdicts(bench: Bench): Promise<Measurement>
  measureSending(bench: Bench): Promise<Measurement>
}

/** Not imported above: it needs a browser, and the types of one. */
const load = async (): Promise<Measures> =>
  (await import(new URL('../../web/bench/scan-app.ts', import.meta.url).href)) as Measures

/** Rows about the scan app, in a browser. They measure the built pages; `npm run bench` builds them. */
export const scanApp: Row[] = [
  {
    name: 'scan',
    title: 'scan app: a scan until its verdict, 95th percentile over 50 ms, CPU 4 times slower, 500 entries waiting',
    must: 1,
    aim: 0.7,
    higherIsBetter: false,
    unit: 'ms',
    measure: async (bench) => await (await load()).measureVerdicts(bench),
  },
  {
    name: 'scan-queue',
    title: 'scan app: sending 1,000 queued picks, over 60 s',
    must: 1,
    aim: 0.3,
    higherIsBetter: false,
    unit: 's',
    measure: async (bench) => await (await load()).measureSending(bench),
  },
]
