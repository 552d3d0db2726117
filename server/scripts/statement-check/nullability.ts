import type { Catalog } from './catalog.ts'
import { isTrue, nodeIn, nodesIn, numberIn, type TreeNode } from './node-tree.ts'

/** Whether a parameter, or an element of an array parameter, may be null. Parameters are numbered from 1. */
export interface ParameterNulls {
  isNullable(parameter: number): boolean
  hasNullElements(parameter: number): boolean
}

/** A query and its enclosing queries, innermost first. */
type Scope = readonly TreeNode[]

/** Postgres's numbers for the kinds of range table entries (`RTEKind`). */
const KIND = { relation: 0, subquery: 1, join: 2, function: 3, values: 5, cte: 6, group: 9 }
const EXISTS = 0
const EXPRESSION = 4
const ARRAY = 6
const IS_NOT_NULL = '1'
const SELECT = 1
const INNER_JOIN = 0
const LEFT_JOIN = 1

/** Nodes that convert their argument: the result is null exactly when the argument is. */
const WRAPPERS = new Set(['RELABELTYPE', 'COERCEVIAIO', 'ARRAYCOERCEEXPR', 'COLLATEEXPR', 'COERCETODOMAIN'])
const NEVER_NULL = new Set([
  'NULLTEST',
  'BOOLEANTEST',
  'DISTINCTEXPR',
  'ARRAYEXPR',
  'ROWEXPR',
  'SQLVALUEFUNCTION',
  'NEXTVALUEEXPR',
  'GROUPINGFUNC',
])
/** Functions that may return null even when no argument is null. */
const MAY_BE_NULL = new Set([
  'array_length',
  'array_lower',
  'array_position',
  'array_upper',
  'current_setting',
  'first_value',
  'json_array_element',
  'json_array_element_text',
  'json_extract_path',
  'json_extract_path_text',
  'json_object_field',
  'json_object_field_text',
  'jsonb_array_element',
  'jsonb_array_element_text',
  'jsonb_extract_path',
  'jsonb_extract_path_text',
  'jsonb_object_field',
  'jsonb_object_field_text',
  'jsonb_path_query_first',
  'lag',
  'last_value',
  'lead',
  'lower',
  'max',
  'min',
  'nth_value',
  'pg_last_wal_replay_lsn',
  'pg_last_wal_receive_lsn',
  'regexp_match',
  'to_regclass',
  'upper',
])
/** Functions that accept null arguments and never return null. */
const NULL_PROOF = new Set([
  'array_agg',
  'array_append',
  'array_cat',
  'array_prepend',
  'concat',
  'concat_ws',
  'count',
  'cume_dist',
  'dense_rank',
  'json_agg',
  'json_build_array',
  'json_build_object',
  'jsonb_agg',
  'jsonb_build_array',
  'jsonb_build_object',
  'ntile',
  'percent_rank',
  'rank',
  'row_number',
  'set_config',
])

/**
 * Finds the nullable columns of a query from Postgres's own analysis: table constraints, the outer joins above each column, strict
 * functions, and conditions that are false for null. In case of doubt, a column is nullable.
 */
export class Nullability {
  readonly #catalog: Catalog
  readonly #parameters: ParameterNulls
  /** Queries under examination. A recursive query refers to itself: the recursion adds no nulls. */
  readonly #open = new Set<TreeNode>()

  constructor(catalog: Catalog, parameters: ParameterNulls) {
    this.#catalog = catalog
    this.#parameters = parameters
  }

  /** Whether each column may be null, in the order of the columns. */
  columnsOf(query: TreeNode): boolean[] {
    return targetsOf(query).map((_, index) => this.#isColumnNullable([query], index))
  }

  #isColumnNullable(scope: Scope, index: number): boolean {
    const [query] = scope
    if (query === undefined) return true
    const parts = setOperands(query)
    if (parts.length > 0) return parts.some((part) => this.#isColumnNullable([part, ...scope], index))
    const target = targetsOf(query)[index]
    const expression = target && nodeIn(target, 'expr')
    if (expression === undefined || target === undefined) return true
    if (this.#open.has(target)) return false
    this.#open.add(target)
    try {
      return this.#isNullable(expression, scope)
    } finally {
      this.#open.delete(target)
    }
  }

  #isNullable(node: TreeNode, scope: Scope): boolean {
    const any = (nodes: readonly TreeNode[]): boolean => nodes.some((child) => this.#isNullable(child, scope))
    const every = (nodes: readonly TreeNode[]): boolean => nodes.every((child) => this.#isNullable(child, scope))
    if (NEVER_NULL.has(node.kind)) return false
    if (WRAPPERS.has(node.kind)) return any(nodesOf(node, 'arg'))
    switch (node.kind) {
      case 'CONST':
        return isTrue(node, 'constisnull')
      case 'PARAM':
        return this.#parameters.isNullable(numberIn(node, 'paramid'))
      case 'VAR':
        return this.#isVarNullable(node, scope)
      case 'COALESCEEXPR':
      case 'MINMAXEXPR':
        return every(nodesIn(node, 'args'))
      case 'CASEEXPR':
        return any([...nodesIn(node, 'args').flatMap((when) => nodesOf(when, 'result')), ...nodesOf(node, 'defresult')])
      case 'BOOLEXPR':
      case 'SCALARARRAYOPEXPR':
        return any(nodesIn(node, 'args'))
      case 'FUNCEXPR':
        return this.#isResultNullable(numberIn(node, 'funcid'), any(nodesIn(node, 'args')))
      case 'OPEXPR':
        return this.#isResultNullable(numberIn(node, 'opfuncid'), any(nodesIn(node, 'args')))
      case 'AGGREF':
        return this.#isAggregateNullable(node, scope)
      case 'WINDOWFUNC':
        return this.#isWindowNullable(node, scope)
      case 'SUBLINK':
        return this.#isSublinkNullable(node, scope)
      default:
        return true
    }
  }

  #isResultNullable(procedureId: number, hasNullArgument: boolean): boolean {
    const procedure = this.#catalog.procedures.get(procedureId)
    if (procedure === undefined || MAY_BE_NULL.has(procedure.name)) return true
    if (NULL_PROOF.has(procedure.name)) return false
    return procedure.isStrict ? hasNullArgument : true
  }

  #isAggregateNullable(node: TreeNode, scope: Scope): boolean {
    const name = this.#catalog.procedures.get(numberIn(node, 'aggfnoid'))?.name ?? ''
    if (name === 'count') return false
    const [query] = scope
    const isOfGroup = query !== undefined && nodesIn(query, 'groupClause').length > 0
    if (!isOfGroup || nodeIn(node, 'aggfilter') !== undefined) return true
    if (NULL_PROOF.has(name)) return false
    return nodesIn(node, 'args').some((target) => nodesOf(target, 'expr').some((child) => this.#isNullable(child, scope)))
  }

  #isWindowNullable(node: TreeNode, scope: Scope): boolean {
    const name = this.#catalog.procedures.get(numberIn(node, 'winfnoid'))?.name ?? ''
    if (NULL_PROOF.has(name)) return false
    if (name !== 'sum' && MAY_BE_NULL.has(name)) return true
    return nodeIn(node, 'aggfilter') !== undefined || nodesIn(node, 'args').some((child) => this.#isNullable(child, scope))
  }

  #isSublinkNullable(node: TreeNode, scope: Scope): boolean {
    const type = numberIn(node, 'subLinkType')
    const query = nodeIn(node, 'subselect')
    if (type === EXISTS || type === ARRAY) return false
    if (query === undefined) return true
    if (type !== EXPRESSION) return nodesOf(node, 'testexpr').some((child) => this.#isNullable(child, scope))
    return !hasAlwaysOneRow(query) || this.#isColumnNullable([query, ...scope], 0)
  }

  #isVarNullable(node: TreeNode, scope: Scope): boolean {
    const level = numberIn(node, 'varlevelsup')
    const around = scope.slice(level)
    const [query] = around
    const entry = query && nodesIn(query, 'rtable')[numberIn(node, 'varno') - 1]
    if (query === undefined || entry === undefined) return true
    if (this.#isExcluded(query, node)) return false
    const nullingJoins = node.fields['varnullingrels']
    if (Array.isArray(nullingJoins) && nullingJoins.length > 1) return true
    const attribute = numberIn(node, 'varattno')
    // A whole-row reference or a system column.
    if (attribute <= 0) return false
    return this.#isColumnOfEntryNullable(entry, attribute, around)
  }

  #isColumnOfEntryNullable(entry: TreeNode, attribute: number, scope: Scope): boolean {
    const inner = nodeIn(entry, 'subquery')
    switch (numberIn(entry, 'rtekind')) {
      case KIND.relation:
        return this.#catalog.tables.get(numberIn(entry, 'relid'))?.columns.get(attribute)?.isNullable ?? true
      case KIND.subquery:
        return inner === undefined || this.#isColumnNullable([inner, ...scope], attribute - 1)
      case KIND.cte:
        return this.#isColumnOfCteNullable(entry, attribute, scope)
      case KIND.join:
        return this.#isEntryExpressionNullable(entry, 'joinaliasvars', attribute, scope)
      case KIND.group:
        return this.#isEntryExpressionNullable(entry, 'groupexprs', attribute, scope)
      case KIND.function:
        return this.#isColumnOfFunctionNullable(entry, attribute, scope)
      case KIND.values:
        return listsIn(entry, 'values_lists').some((row) => {
          const value = row[attribute - 1]
          return value === undefined || this.#isNullable(value, scope)
        })
      default:
        return true
    }
  }

  #isEntryExpressionNullable(entry: TreeNode, field: string, attribute: number, scope: Scope): boolean {
    const expression = nodesIn(entry, field)[attribute - 1]
    return expression === undefined || this.#isNullable(expression, scope)
  }

  #isColumnOfCteNullable(entry: TreeNode, attribute: number, scope: Scope): boolean {
    const outer = scope.slice(numberIn(entry, 'ctelevelsup'))
    const [owner] = outer
    const cte = owner && nodesIn(owner, 'cteList').find(({ fields }) => fields['ctename'] === entry.fields['ctename'])
    const query = cte && nodeIn(cte, 'ctequery')
    return query === undefined || this.#isColumnNullable([query, ...outer], attribute - 1)
  }

  #isColumnOfFunctionNullable(entry: TreeNode, attribute: number, scope: Scope): boolean {
    let column = attribute
    for (const part of nodesIn(entry, 'functions')) {
      const count = numberIn(part, 'funccolcount')
      if (column <= count) return this.#isSetNullable(nodeIn(part, 'funcexpr'), count, scope)
      column -= count
    }
    // The column of `with ordinality`.
    return false
  }

  #isSetNullable(call: TreeNode | undefined, columns: number, scope: Scope): boolean {
    if (call?.kind !== 'FUNCEXPR' || columns !== 1) return true
    const [argument] = nodesIn(call, 'args')
    const name = this.#catalog.procedures.get(numberIn(call, 'funcid'))?.name
    if (name === 'unnest') return !this.#hasOnlyValues(argument)
    return this.#isResultNullable(
      numberIn(call, 'funcid'),
      nodesIn(call, 'args').some((child) => this.#isNullable(child, scope)),
    )
  }

  #hasOnlyValues(array: TreeNode | undefined): boolean {
    if (array === undefined) return false
    if (WRAPPERS.has(array.kind)) return this.#hasOnlyValues(nodeIn(array, 'arg'))
    return array.kind === 'PARAM' && !this.#parameters.hasNullElements(numberIn(array, 'paramid'))
  }

  /** Whether a condition of the query excludes rows in which the column is null. */
  #isExcluded(query: TreeNode, column: TreeNode): boolean {
    const tree = nodeIn(query, 'jointree')
    return tree !== undefined && conditionsOf(tree).some((condition) => this.#refuses(condition, column))
  }

  /** Whether the condition is not true when the column is null. */
  #refuses(condition: TreeNode, column: TreeNode): boolean {
    const isColumn = (node: TreeNode | undefined): boolean => node !== undefined && isSameVar(unwrapped(node), column)
    switch (condition.kind) {
      case 'BOOLEXPR':
        return condition.fields['boolop'] === 'and' && nodesIn(condition, 'args').some((part) => this.#refuses(part, column))
      case 'NULLTEST':
        return condition.fields['nulltesttype'] === IS_NOT_NULL && isColumn(nodeIn(condition, 'arg'))
      case 'OPEXPR':
      case 'SCALARARRAYOPEXPR':
        return (
          this.#catalog.procedures.get(numberIn(condition, 'opfuncid'))?.isStrict === true &&
          nodesIn(condition, 'args').some(isColumn)
        )
      default:
        return isColumn(condition)
    }
  }
}

function targetsOf(query: TreeNode): TreeNode[] {
  const list = numberIn(query, 'commandType') === SELECT ? 'targetList' : 'returningList'
  return nodesIn(query, list).filter((target) => !isTrue(target, 'resjunk'))
}

/** The queries of a union; none for any other query. */
function setOperands(query: TreeNode): TreeNode[] {
  const operation = nodeIn(query, 'setOperations')
  if (operation === undefined) return []
  const entries = nodesIn(query, 'rtable')
  const leaves = (node: TreeNode): TreeNode[] =>
    node.kind === 'RANGETBLREF'
      ? [entries[numberIn(node, 'rtindex') - 1]].flatMap((entry) => (entry === undefined ? [] : nodesOf(entry, 'subquery')))
      : [...nodesOf(node, 'larg'), ...nodesOf(node, 'rarg')].flatMap(leaves)
  return leaves(operation)
}

/** True for an aggregate without grouping, and for a query without a table: both always return one row. */
function hasAlwaysOneRow(query: TreeNode): boolean {
  const tree = nodeIn(query, 'jointree')
  const isLimited = nodeIn(query, 'limitCount') !== undefined || nodeIn(query, 'limitOffset') !== undefined
  if (isLimited || nodeIn(query, 'havingQual') !== undefined || setOperands(query).length > 0) return false
  if (isTrue(query, 'hasAggs')) return nodesIn(query, 'groupClause').length === 0
  return tree !== undefined && nodesIn(tree, 'fromlist').length === 0 && nodeIn(tree, 'quals') === undefined
}

/** The conditions that every row of the query fulfils: its `where` condition and those of inner joins. */
function conditionsOf(node: TreeNode): TreeNode[] {
  if (node.kind === 'FROMEXPR') return [...nodesOf(node, 'quals'), ...nodesIn(node, 'fromlist').flatMap(conditionsOf)]
  if (node.kind !== 'JOINEXPR') return []
  const type = numberIn(node, 'jointype')
  if (type === LEFT_JOIN) return nodesOf(node, 'larg').flatMap(conditionsOf)
  if (type !== INNER_JOIN) return []
  return [...nodesOf(node, 'quals'), ...[...nodesOf(node, 'larg'), ...nodesOf(node, 'rarg')].flatMap(conditionsOf)]
}

function unwrapped(node: TreeNode): TreeNode {
  const inner = WRAPPERS.has(node.kind) ? nodeIn(node, 'arg') : undefined
  return inner === undefined ? node : unwrapped(inner)
}

/** Whether a node is the given column of the same query. `column` may be a reference from an inner query. */
const isSameVar = (node: TreeNode, column: TreeNode): boolean =>
  node.kind === 'VAR' &&
  numberIn(node, 'varlevelsup') === 0 &&
  ['varno', 'varattno'].every((field) => node.fields[field] === column.fields[field])

function nodesOf(node: TreeNode, field: string): TreeNode[] {
  const found = nodeIn(node, field)
  return found === undefined ? [] : [found]
}

function listsIn(node: TreeNode, field: string): TreeNode[][] {
  const lists = node.fields[field]
  if (!Array.isArray(lists)) return []
  return lists.map((list: unknown) => (Array.isArray(list) ? (list as TreeNode[]) : []))
}
