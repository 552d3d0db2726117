/** As sets, whatever the order. */
export function sameRows(kind: string, expected: readonly unknown[], actual: readonly unknown[]): string | undefined {
  const [wanted, given] = [expected, actual].map((rows) => rows.map((row) => JSON.stringify(row)).toSorted())
  const missing = wanted?.find((row, index) => given?.[index] !== row)
  if (missing === undefined && wanted?.length === given?.length) return undefined
  return `${kind}: ${firstDifference(wanted ?? [], given ?? [])}`
}

function firstDifference(wanted: string[], given: string[]): string {
  const missing = wanted.filter((row) => count(wanted, row) > count(given, row))
  const surplus = given.filter((row) => count(given, row) > count(wanted, row))
  return `missing ${missing.slice(0, 3).join(' ') || 'nothing'}; not expected ${surplus.slice(0, 3).join(' ') || 'nothing'}`
}

const count = (rows: string[], row: string): number => rows.filter((other) => other === row).length
