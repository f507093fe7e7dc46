import { type Reader, type Schema, shareReads, type Writer } from '@merchant-payments/db'
import { CompiledQuery, type Kysely } from 'kysely'
import type { World } from './world.ts'

/** The cost of one run of a statement, and the tables that it scanned. */
export interface Cost {
  readonly buffers: number
  /** Rows read by all steps of the plan, including rows that a step discarded. */
  readonly rows: number
  readonly scanned: readonly string[]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

type Explained = readonly [{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }]

/** Runs a function of a store once. @returns its statements in order */
export async function statementsOf(
  { db }: Pick<World, 'db'>,
  run: (spied: { reader: Reader; writer: Writer }) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  // An instance that nobody else uses.
  const spied = (db.writer as unknown as Kysely<Schema>).withoutPlugins()
  const executor = spied.getExecutor()
  const executeQuery = executor.executeQuery.bind(executor)
  executor.executeQuery = (query, options) => {
    statements.push(query)
    return executeQuery(query, options) as never
  }
  const reader = spied as unknown as Reader
  shareReads(reader)
  await run({ reader, writer: spied as unknown as Writer })
  if (statements.length === 0) throw new Error('no statement was seen, so nothing would be checked')
  return statements
}

/** PostgreSQL chooses between these two for a prepared statement. */
const PLANS = ['force_custom_plan', 'force_generic_plan'] as const

/**
 * Runs a function of a store once to collect its statements. Then runs each of them under EXPLAIN (ANALYZE,
 * BUFFERS), rolled back: with the plan for its values, and with the plan for all values.
 *
 * @param undo takes back what the first run wrote, if that leaves nothing for the statements to do
 */
export async function costsOf(
  world: World,
  run: Parameters<typeof statementsOf>[1],
  undo: () => Promise<void> = () => Promise.resolve(),
): Promise<Cost[]> {
  const kysely = world.db.writer as unknown as Kysely<Schema>
  const costs: Cost[] = []
  const statements = await statementsOf(world, run)
  await undo()
  for (const statement of statements) {
    for (const mode of PLANS) costs.push(await explain(kysely, statement, mode))
  }
  return costs
}

let prepared = 0

async function explain(
  kysely: Kysely<Schema>,
  statement: CompiledQuery,
  mode: (typeof PLANS)[number],
): Promise<Cost> {
  const rolledBack = Symbol('rolled back')
  const name = `explained_${++prepared}`
  let plan: PlanNode | undefined
  await kysely
    .transaction()
    .execute(async (tx) => {
      const raw = (text: string) => tx.executeQuery<unknown>(CompiledQuery.raw(text))
      await raw(`set local plan_cache_mode = ${mode}`)
      await raw(`prepare ${name} as ${statement.sql}`)
      const call = callOf(name, statement)
      const { rows } = await raw(`explain (analyze, buffers, format json) execute ${call}`)
      plan = (rows as unknown as Explained)[0]['QUERY PLAN'][0].Plan
      throw rolledBack
    })
    .catch((error: unknown) => {
      if (error !== rolledBack) throw error
    })
  if (plan === undefined) throw new Error('no plan')
  return costOf(plan)
}

/** A statement that a connection plans once and can execute again after its tables have changed. */
export interface PlannedStatement {
  /** Runs under EXPLAIN (ANALYZE). Its writes stay. */
  readonly execute: () => Promise<Cost>
}

/** Runs the work on one connection, which it holds until the end. */
export const onConnection = <T>(
  { db }: Pick<World, 'db'>,
  work: (connection: Kysely<Schema>) => Promise<T>,
): Promise<T> => (db.writer as unknown as Kysely<Schema>).connection().execute(work)

/** Plans a statement once for all its executions, like a connection that prepares it. */
export async function planForGood(
  connection: Kysely<Schema>,
  statement: CompiledQuery,
): Promise<PlannedStatement> {
  const raw = (text: string) => connection.executeQuery<unknown>(CompiledQuery.raw(text))
  const name = `planned_${++prepared}`
  const call = callOf(name, statement)
  await raw('set plan_cache_mode = force_generic_plan')
  await raw(`prepare ${name} as ${statement.sql}`)
  await raw(`explain execute ${call}`)
  return {
    execute: async () => {
      const { rows } = await raw(`explain (analyze, buffers, format json) execute ${call}`)
      return costOf((rows as unknown as Explained)[0]['QUERY PLAN'][0].Plan)
    },
  }
}

const callOf = (name: string, { parameters }: CompiledQuery) =>
  parameters.length === 0 ? name : `${name}(${parameters.map(literal).join(', ')})`

const costOf = (plan: PlanNode): Cost => ({
  buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  rows: rowsOf(plan),
  scanned: scansOf(plan),
})

const rowsOf = (node: PlanNode): number =>
  node['Actual Loops'] *
    (node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Join Filter'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)

const scansOf = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '?'] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]

/** The parameter as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return quoted(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  if (value instanceof Uint8Array) return quoted(`\\x${Buffer.from(value).toString('hex')}`)
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
