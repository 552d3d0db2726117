import { count, grouped } from './count.ts'
import { isolated } from './isolated.ts'

/** "Stock of Green tea, 30 days: now 25, lowest 4 on Nov 3" */
const sentence = (head: string, parts: readonly (string | undefined)[]): string =>
  `${head}: ${parts.filter((part) => part !== undefined).join(', ')}`

/** The home screen, and the charts of all screens. */
export const homeAndCharts = {
  charts: {
    asTable: 'Show as table',
    hint: (canOpen: boolean) =>
      `Tap, point or use the arrow keys to read the values${canOpen ? '; a click or Enter opens one' : ''}. Times are UTC.`,
    readerOf: (title: string) => `Values of ${title}`,
    notMeasured: 'none',
    reading: (label: string, numbers: readonly string[]) => `${isolated(label)}: ${numbers.join(', ')}`,
    period: 'Period',
    days: (days: number) => (days === 1 ? '24 hours' : count(days, 'day', 'days')),
    day: 'Day (UTC)',
    hour: 'Hour from (UTC)',
    nothing: 'Nothing in this period.',
    stock: {
      title: 'Stock over time',
      name: (product: string, period: string, now: string, lowest: string, threshold: string | undefined) =>
        sentence(`Stock of ${isolated(product)}, ${period}`, [
          `now ${now}`,
          `lowest ${lowest}`,
          threshold && `threshold ${threshold}`,
        ]),
      lowestOn: (quantity: string, day: string) => `${quantity} on ${day}`,
      quantity: 'Stock',
      threshold: (quantity: string) => `Threshold ${quantity}`,
    },
    orders: {
      title: 'Orders by day',
      table: 'Orders by day and state',
      name: (period: string, orders: number, most: string) =>
        sentence(`Orders by day, ${period}`, [`${count(orders, 'order', 'orders')} in all`, most]),
      most: (orders: number, day: string) => `most ${grouped(orders)} on ${day}`,
    },
    picking: {
      title: 'Throughput',
      units: 'Units picked',
      name: (period: string, units: string, most: string) => sentence(`Units picked, ${period}`, [`${units} in all`, most]),
      most: (units: string, at: string) => `most ${units} at ${at}`,
      today: 'Today',
      periods: { '1': 'Today', '7': '7 days', '30': '30 days' },
      byOperator: 'By operator',
      operator: 'Operator',
      picks: 'Picks',
      flows: 'Flows',
      unitsAnHour: 'Units an hour',
      compared: 'Compared',
      bar: (operator: string) => `Units of ${operator}`,
      none: 'Nothing was picked in this period.',
    },
    deliveries: {
      title: 'Success and latency',
      success: 'Attempts',
      latency: 'Latency',
      successName: (webhook: string, period: string, share: string, attempts: number) =>
        sentence(`Attempts of ${isolated(webhook)}, ${period}`, [
          `${share} of ${count(attempts, 'attempt', 'attempts')} succeeded`,
        ]),
      latencyName: (webhook: string, period: string, p50: string, p95: string) =>
        sentence(`Latency of ${isolated(webhook)}, ${period}`, [
          `half took at most ${p50}`,
          `95 of 100 at most ${p95} in the slowest hour`,
        ]),
      succeeded: 'Succeeded',
      failed: 'Failed',
      p50: 'p50',
      p95: 'p95',
      slowest: 'Of the slowest hour of each day.',
      ms: (ms: string) => `${ms} ms`,
      none: 'No attempts in this period.',
    },
    usage: {
      title: 'Requests by result',
      name: (requests: number, share: string) =>
        sentence('Requests by result', [count(requests, 'request', 'requests'), `${share} without an error`]),
      fine: 'Without error',
      top: 'Most called',
      topKeys: 'Most active keys',
    },
    share: (part: number, whole: number) => `${grouped(Math.floor((part / Math.max(whole, 1)) * 1_000) / 10)} %`,
  },
  home: {
    dueToday: 'Due today',
    dueOrders: 'Due orders',
    due: 'Today',
    overdue: 'Overdue',
    state: 'State',
    nothingDue: 'No open order is due.',
    pickingNow: 'Picking now',
    flows: (flows: number) => (flows === 0 ? 'Nobody is picking.' : `${count(flows, 'flow', 'flows')} running`),
    ready: (orders: number) => `${count(orders, 'order', 'orders')} ready`,
    lowStock: 'Low stock',
    lowProducts: 'Products below their threshold',
    nothingLow: 'No product is below its threshold.',
    allLow: (products: number) =>
      products === 1 ? 'Show it on the stock screen' : `Show all ${grouped(products)} on the stock screen`,
    product: 'Product',
    quantity: 'Stock',
    threshold: 'Threshold',
    webhooks: 'Webhooks',
    failingWebhooks: 'Failing webhooks',
    noWebhooks: 'No webhooks yet.',
    allFine: (webhooks: number) => `${count(webhooks, 'webhook', 'webhooks')}, none failing.`,
    reconcile: 'Reconcile',
    neverChecked: 'Stock was never checked in this browser.',
    found: (result: string, isWhole: boolean) => `${isWhole ? '' : ', stopped before the end'}: ${result}`,
    check: 'Check all stock',
    firstSteps: 'First steps',
    firstStepsText: 'Nothing is here yet. These five calls make a product, its stock, an order and its picking, and a webhook.',
    steps: [
      'Create a product',
      'Put 25 of it at a location',
      'Create an order',
      'Start to pick it',
      'Send events to your own server',
    ],
    copyStep: (step: string) => `Copy: ${step}`,
    copied: 'Copied the command',
  },
}
