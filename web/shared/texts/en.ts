import { count, grouped } from './count.ts'
import { auditAndUsage } from './en-audit-and-usage.ts'
import { homeAndCharts } from './en-home-and-charts.ts'
import { importAndExport } from './en-import-and-export.ts'
import { keysAndSessions } from './en-keys-and-sessions.ts'
import { numbers } from './en-numbers.ts'
import { orderTimeline } from './en-order-timeline.ts'
import { ordersAndProducts } from './en-orders-and-products.ts'
import { pickingAndDevices } from './en-picking-and-devices.ts'
import { receivingAndCounts } from './en-receiving-and-counts.ts'
import { reserving } from './en-reserving.ts'
import { shipments } from './en-shipments.ts'
import { stock } from './en-stock.ts'
import { webhooksAndEvents } from './en-webhooks-and-events.ts'
import { isolated } from './isolated.ts'

/** All texts of the dashboard. Here are those of the frame and of what screens share; those about records are in files by subject. */
export const en = {
  ...ordersAndProducts,
  ...orderTimeline,
  ...stock,
  ...reserving,
  ...pickingAndDevices,
  ...receivingAndCounts,
  ...shipments,
  ...importAndExport,
  ...homeAndCharts,
  ...webhooksAndEvents,
  ...keysAndSessions,
  ...auditAndUsage,
  frame: {
    skip: 'Skip to content',
    menu: 'Menu',
    data: 'Data',
    modes: { live: 'Live', test: 'Test' },
    noLive: 'A test key has no live data',
    testData: 'Test data',
    notEncrypted: 'Not encrypted',
    paused: 'Paused: move to go on',
    documentTitle: (title: string, tenant: string) => `${isolated(title)} · ${isolated(tenant)} · Fulfillment`,
    noSuchPage: 'There is no such page',
    toStart: 'Go to the start',
    failed: 'This screen failed to open',
    noTest: 'This session has no test data',
    toLive: 'Go to the live data',
  },
  nav: {
    label: 'Main',
    home: 'Home',
    orders: 'Orders',
    products: 'Products',
    stock: 'Stock',
    movements: 'Movements',
    picking: 'Picking',
    reservations: 'Reservations',
    inbound: 'Inbound',
    returns: 'Returns',
    counts: 'Counts',
    shipments: 'Shipments',
    webhooks: 'Webhooks',
    events: 'Events',
    keys: 'API keys',
    usage: 'Usage',
    audit: 'Audit',
    reconcile: 'Reconcile',
    operators: 'Operators',
    devices: 'Devices',
    sessions: 'Sessions',
    locations: 'Locations',
    settings: 'Settings',
  },
  session: { lacks: (scope: string) => `This key lacks ${scope}` },
  signIn: {
    title: 'Sign in',
    documentTitle: 'Sign in · Fulfillment',
    key: 'API key',
    keyHint: 'Without a key: npx fulfillment dashboard-link, run at the server, prints a link that signs in.',
    submit: 'Sign in',
    open: 'Open the dashboard',
    codeHint: 'This link works once.',
    withKey: 'Sign in with a key',
    ended: 'The session has ended. Sign in to go on: everything you typed is still here.',
  },
  account: {
    label: 'Account',
    shortcuts: 'Keyboard shortcuts',
    signOut: 'Sign out',
    notSignedOut: (why: string) => `You are still signed in: ${why}`,
    signedInWith: (name: string, prefix: string) => `Signed in with ${isolated(name)} (${prefix}…)`,
  },
  theme: { label: 'Theme', system: 'System', light: 'Light', dark: 'Dark' },
  notifications: { label: 'Notifications', none: 'No messages yet', dismiss: 'Dismiss' },
  states: {
    tryAgain: 'Try again',
    request: (id: string) => `Request ${id}`,
    triesAgain: (seconds: number) => `Tries again in ${seconds} s`,
    sendsAgain: (seconds: number) => `The server is busy. This is sent again in ${seconds} s.`,
    stopWaiting: 'Stop waiting',
    unreadable: 'This is incomplete: correct it, or clear it',
    ...numbers,
    noConnection: 'No connection to the server',
    notTheServer: (status: number) =>
      `No response from the server: the network has responded in its place (HTTP ${status}). Try again.`,
    offlineSince: (time: string) => `No connection: what you see is from ${time}`,
    offlineWrite: 'No connection. Nothing was sent; try again when you are online.',
    stillRunning: 'The server is still working on your first attempt. Try again in a moment: the change is made only once.',
    noAnswer: 'No response from the server. Try again: the change is made only once, even if the first attempt arrived.',
  },
  dialog: {
    close: 'Close',
    back: 'Back',
    save: 'Save',
    discard: 'Discard',
    typeToConfirm: (name: string) => `Type ${name} to confirm`,
  },
  form: { required: '* Required' },
  unsaved: {
    stay: 'Stay',
    typed: { title: 'Discard what you typed?', text: 'It is not saved.', leave: 'Discard' },
    saving: {
      title: 'Leave while this is being saved?',
      text: 'It has been sent, and leaving does not stop it. A message says how it ended, unless you reload or sign out.',
      leave: 'Leave',
    },
  },
  /** Of writes whose screen or dialog was left before they failed. */
  left: {
    notDone: (place: string, why: string) => `${isolated(place)}: not done. ${why}`,
    unconfirmed: (place: string) =>
      `${isolated(place)}: no confirmation from the server. It may be done: check before you repeat it.`,
  },
  units: {
    kg: 'kg',
    cm: 'cm',
    percent: '%',
    baseUnits: 'base units',
    ofBase: (number: number) => count(number, 'base unit', 'base units'),
  },
  relative: {
    now: 'now',
    seconds: (value: number) => `in ${value} s`,
    minutes: (value: number) => `in ${value} min`,
    hours: (value: number) => `in ${value} h`,
    days: (value: number) => `in ${value} d`,
  },
  copy: {
    id: 'Copy id',
    idDone: 'Copied the id',
    curl: 'Copy as curl',
    curlDone: (commands: number) => `Copied ${count(commands, 'command', 'commands')}`,
    noCurl: 'Nothing was copied: this screen sends no request',
    unread: (field: string, why: string) => `Nothing was copied. ${isolated(field)}: ${why}`,
    byHand: 'Copy this text',
    text: 'Text',
  },
  filters: { label: 'Filters', clear: 'Clear filters', utc: 'UTC', noId: 'This is not an id: ids are whole numbers' },
  pages: {
    label: 'Pages',
    labelOf: (list: string) => `Pages of ${list}`,
    previous: 'Previous page',
    next: 'Next page',
    page: 'Page',
    of: (pages: number) => `of ${grouped(pages)}`,
    past: (page: number, last: number) => `There is no page ${grouped(page)}. The last one is ${grouped(last)}.`,
    last: 'Go to the last page',
    nothing: 'There is nothing on this page.',
    first: 'Go to the first page',
  },
  secret: {
    warning: 'This value is shown only now.',
    stored: 'I have stored it',
    ask: 'Have you stored the value? It cannot be shown again.',
  },
  search: {
    title: 'Search',
    label: 'Search orders, products and pages',
    nothing: (text: string) => `Nothing matches ${isolated(text)}.`,
    key: 'Ctrl K',
    order: 'Order',
    orderId: (id: string) => `Order with id ${id}`,
    page: 'Page',
    action: 'Action',
  },
  requests: {
    title: 'Requests',
    none: 'No requests yet',
    call: 'Request',
    status: 'Status',
    duration: 'ms',
    id: 'Request id',
    noResponse: 'No response',
  },
  shortcuts: {
    title: 'Keys',
    single: 'Single-key shortcuts',
    keys: [
      { key: 'Ctrl K', does: 'Search' },
      { key: '/', does: 'First filter of the screen' },
      { key: '`', does: 'Requests' },
      { key: '?', does: 'This list' },
    ],
  },
}
