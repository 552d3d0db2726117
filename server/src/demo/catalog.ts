import { withCheckDigit } from '@fulfillment/codes/gtin.ts'
import { Random } from './random.ts'

/** A product of the demo. */
export interface DemoProduct {
  barcode: string
  sku: string
  name: string
  category: string
  price: number
  cost: number
  /** Kilograms. */
  weight: number
  weighable: boolean
  pick_tolerance_percent: number
  minimum_threshold: number
  reorder_quantity: number
}

interface Kind {
  category: string
  names: readonly string[]
  sizes: readonly { text: string; kilograms: number }[]
  /** The price of a kilogram. */
  price: number
  weighable?: true
}

const SMALL = [
  { text: '100 g', kilograms: 0.1 },
  { text: '250 g', kilograms: 0.25 },
  { text: '500 g', kilograms: 0.5 },
]
const LARGE = [
  { text: '500 g', kilograms: 0.5 },
  { text: '1 kg', kilograms: 1 },
  { text: '2 kg', kilograms: 2 },
]
const BOTTLES = [
  { text: '0.5 l', kilograms: 0.6 },
  { text: '1 l', kilograms: 1.1 },
]
const LOOSE = [{ text: 'loose', kilograms: 1 }]

const KINDS: readonly Kind[] = [
  {
    category: 'Tea',
    names: ['Green tea', 'Black tea', 'Earl Grey', 'Oolong', 'Rooibos', 'White tea', 'Jasmine tea', 'Chamomile'],
    sizes: SMALL,
    price: 38,
  },
  {
    category: 'Coffee',
    names: ['Espresso beans', 'Filter coffee', 'Decaf', 'House blend', 'Single origin Huila', 'Cold brew blend'],
    sizes: LARGE,
    price: 22,
  },
  {
    category: 'Spices',
    names: ['Black pepper', 'Cinnamon', 'Turmeric', 'Smoked paprika', 'Cumin', 'Cardamom', 'Nutmeg', 'Saffron threads'],
    sizes: SMALL,
    price: 45,
  },
  {
    category: 'Pasta and rice',
    names: ['Spaghetti', 'Penne', 'Fusilli', 'Basmati rice', 'Arborio rice', 'Couscous', 'Bulgur'],
    sizes: LARGE,
    price: 4,
  },
  {
    category: 'Oil and vinegar',
    names: ['Olive oil', 'Rapeseed oil', 'Sesame oil', 'Balsamic vinegar', 'Cider vinegar'],
    sizes: BOTTLES,
    price: 13,
  },
  {
    category: 'Chocolate',
    names: ['Dark chocolate 70 %', 'Milk chocolate', 'Hazelnut chocolate', 'White chocolate', 'Cocoa nibs'],
    sizes: SMALL,
    price: 25,
  },
  {
    category: 'Honey and jam',
    names: ['Acacia honey', 'Forest honey', 'Apricot jam', 'Strawberry jam', 'Orange marmalade'],
    sizes: SMALL,
    price: 18,
  },
  {
    category: 'Drinks',
    names: ['Apple juice', 'Ginger lemonade', 'Elderflower syrup', 'Sparkling water', 'Tomato juice'],
    sizes: BOTTLES,
    price: 4,
  },
  {
    category: 'Nuts',
    names: ['Almonds', 'Cashews', 'Walnuts', 'Pistachios', 'Dried apricots'],
    sizes: LOOSE,
    price: 21,
    weighable: true,
  },
]

/** Of weighable products, in percent. The history has picks of whole units: with this, a line of a dozen units is fulfilled by all of them alone. */
const TOLERANCE = 8

/** GS1 keeps the range from 200 to 209 for companies' own use: no product in a shop has such a code. */
const FIRST_CODE = 200_000_000_000
const CODES = 1_000_000_000
/** Has no factor in common with the number of codes, so that every product has another one. */
const STRIDE = 456_123_457

/** The catalog of a seed. A longer one begins with the products of a shorter one. */
export function demoCatalog(seed: number, count: number): DemoProduct[] {
  const offset = new Random(`${seed} codes`).integer(0, CODES - 1)
  const named = new Map<string, number>()
  return Array.from({ length: count }, (_, index) => {
    const random = new Random(`${seed} product ${index}`)
    const kind = random.pick(KINDS)
    const { text, kilograms } = random.pick(kind.sizes)
    const plain = `${random.pick(kind.names)}, ${text}`
    const copies = (named.get(plain) ?? 0) + 1
    named.set(plain, copies)
    const price = Math.round(kind.price * kilograms * (70 + random.integer(0, 60))) / 100
    const minimum = random.integer(1, 4) * 5
    return {
      barcode: withCheckDigit(String(FIRST_CODE + ((offset + index * STRIDE) % CODES))),
      sku: `${kind.category.slice(0, 3).toUpperCase()}-${String(index + 1).padStart(4, '0')}`,
      name: copies === 1 ? plain : `${plain}, no. ${copies}`,
      category: kind.category,
      price,
      cost: Math.round(price * 55) / 100,
      weight: kilograms,
      weighable: kind.weighable === true,
      pick_tolerance_percent: kind.weighable === true ? TOLERANCE : 0,
      minimum_threshold: minimum,
      reorder_quantity: minimum * 4,
    }
  })
}

/** The GTIN of a case of a product. */
export const caseBarcode = ({ barcode }: DemoProduct): string => withCheckDigit(`1${barcode.slice(0, -1)}`)
