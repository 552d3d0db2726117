/**
 * Today, by the clock of whoever looks at the page. It is compared with days of the calendar, such as an assembly date: these have no time zone,
 * and the day in UTC is another one for some hours of each day.
 */
export function localToday(): string {
  const now = new Date()
  const month = String(now.getMonth() + 1).padStart(2, '0')
  return `${now.getFullYear()}-${month}-${String(now.getDate()).padStart(2, '0')}`
}
