/** Operators of the demo. */
export const OPERATORS = [
  { name: 'Ada Byron', email: 'ada@demo.example' },
  { name: 'Linus Okafor', email: 'linus@demo.example' },
] as const

/** Customers of the demo's orders. */
export const CUSTOMERS = [
  'Café Morgenrot',
  'Olga Petrova',
  'Bistro Lindenhof',
  'Jun Watanabe',
  'Hotel Seeblick',
  'María González',
  'Teehaus am Markt',
  'Kwame Mensah',
  'Sofia Rossi',
  'Bäckerei Schmidt',
  'Noah Williams',
  'Priya Sharma',
  'Delikat GmbH',
  'Emma Dubois',
  'Yusuf Kaya',
  'Kantine Nord',
] as const

const STREETS = ['12 Mill Lane', '4 Harbour Street', '88 Station Road', '7 Market Square', '31 Park Avenue', '5 Bridge Street']
const TOWNS = ['Bath', 'Leeds', 'York', 'Bristol', 'Exeter', 'Norwich']

/** Where an order goes to. */
export function addressOf(random: { pick<T>(items: readonly T[]): T }): string {
  return `${random.pick(STREETS)}, ${random.pick(TOWNS)}`
}
