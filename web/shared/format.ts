const LOCALE = 'en-US'

const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3 })
const shortNumbers = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })
const prices = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 4 })
const timeParts = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const
const times = new Intl.DateTimeFormat(LOCALE, timeParts)
const timesOfOtherYears = new Intl.DateTimeFormat(LOCALE, { ...timeParts, year: 'numeric' })
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const days = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' })

const shortDays = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const hours = new Intl.DateTimeFormat(LOCALE, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** A quantity or count, with at most three decimals. */
export const formatNumber = (value: number): string => numbers.format(value)

/** A round number where there is little room, such as 2.5B for 2,500,000,000. */
export const formatShortNumber = (value: number): string => shortNumbers.format(value)

/** A price; the tenant's currency is its own affair. */
export const formatPrice = (value: number): string => prices.format(value)

/** A change with its sign, such as +5 or −2. */
export const formatChange = (value: number): string =>
  value > 0 ? `+${numbers.format(value)}` : numbers.format(value).replace('-', '−')

/** A moment in the browser's time zone, with its year unless it is this one. */
export function formatTime(value: string): string {
  const moment = new Date(value)
  return (moment.getFullYear() === new Date().getFullYear() ? times : timesOfOtherYears).format(moment)
}

/** Hours and minutes of a moment in the browser's time zone. */
export const formatClock = (value: Date): string => clock.format(value)

/** A calendar day, which has no time zone. */
export const formatDay = (value: string): string => days.format(new Date(`${value}T00:00:00Z`))

/** A moment in UTC, for those who compare with a log. */
export const formatUtc = (value: string | Date): string => `${new Date(value).toISOString().replace('T', ' ').slice(0, 19)} UTC`

/** The day of a moment, in UTC, where there is little room. */
export const formatShortDay = (value: string): string => shortDays.format(new Date(value))

/** The hour of a moment of a known day, in UTC. */
export const formatHourOfDay = (value: string): string => `${value.slice(11, 13)}:00`

/** The hour of a moment, in UTC. */
export const formatHour = (value: string): string => hours.format(new Date(value))
