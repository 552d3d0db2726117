/**
 * A node of an analysed query as Postgres prints it (`debug_print_rewritten`): `{VAR :varno 1 :varattno 2 …}`. Postgres has resolved the
 * names, types and functions, and has marked what an outer join can make null.
 */
export interface TreeNode {
  readonly kind: string
  readonly fields: Readonly<Record<string, TreeValue>>
}

/** A word, a list or a node. `<>` becomes null. */
export type TreeValue = TreeNode | string | null | readonly TreeValue[]

/** Words, and the brackets of nodes and lists. A backslash escapes the next character of a word. */
const TOKEN = /[(){}]|(?:\\[\s\S]|[^\s(){}\\])+/g

/** Parses a tree that Postgres printed. */
export function parseTree(text: string): TreeValue {
  const tokens = text.match(TOKEN) ?? []
  let position = 0

  function next(): string {
    const token = tokens[position++]
    if (token === undefined) throw new Error('the tree ends too early')
    return token
  }

  function value(): TreeValue {
    const token = next()
    if (token === '{') return node()
    if (token === '(') return list()
    return token === '<>' ? null : token.replaceAll(/\\([\s\S])/g, '$1')
  }

  function list(): TreeValue[] {
    const items: TreeValue[] = []
    while (tokens[position] !== ')') items.push(value())
    position++
    return items
  }

  function node(): TreeNode {
    const kind = next()
    const fields: Record<string, TreeValue> = {}
    while (tokens[position] !== '}') {
      const name = next().slice(1)
      const parts: TreeValue[] = []
      while (tokens[position] !== '}' && tokens[position]?.startsWith(':') !== true) parts.push(value())
      fields[name] = parts.length === 1 ? (parts[0] ?? null) : parts
    }
    position++
    return { kind, fields }
  }

  return value()
}

/** The node in a field; undefined when the field contains something else. */
export function nodeIn(node: TreeNode, field: string): TreeNode | undefined {
  const value = node.fields[field]
  return isNode(value) ? value : undefined
}

/** The nodes of the list in a field. */
export function nodesIn(node: TreeNode, field: string): TreeNode[] {
  const value = node.fields[field]
  return isList(value) ? value.filter(isNode) : []
}

export function numberIn(node: TreeNode, field: string): number {
  return Number(node.fields[field])
}

export const isTrue = (node: TreeNode, field: string): boolean => node.fields[field] === 'true'

/** A node and all nodes below it. */
export function* descendants(value: TreeValue | undefined): Generator<TreeNode> {
  if (isList(value)) for (const item of value) yield* descendants(item)
  if (!isNode(value)) return
  yield value
  for (const field of Object.values(value.fields)) yield* descendants(field)
}

const isList = (value: TreeValue | undefined): value is readonly TreeValue[] => Array.isArray(value)

const isNode = (value: TreeValue | undefined): value is TreeNode => typeof value === 'object' && value !== null && !isList(value)
