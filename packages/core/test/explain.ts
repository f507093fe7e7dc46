import type { Schema, Writer } from '@merchant-payments/db'
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode } from 'kysely'
import type { World } from './world.ts'

/** What one run of a statement cost, and which tables it read from end to end. */
export interface Cost {
  readonly buffers: number
  readonly scanned: readonly string[]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

type Explained = readonly [{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }]

/**
 * Runs a function of a store once for its statements, and each of them again under EXPLAIN (ANALYZE, BUFFERS), rolled
 * back: the first time that it is executed on a connection, and the seventh, when a prepared statement may have settled
 * on a generic plan.
 */
export async function costsOf(
  { db }: World,
  run: (spied: { reader: World['db']['reader']; writer: Writer }) => Promise<unknown>,
): Promise<Cost[]> {
  const nodes: RootOperationNode[] = []
  const note: KyselyPlugin = {
    transformQuery: ({ node }) => {
      nodes.push(node)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  const kysely = db.writer as unknown as Kysely<Schema>
  const spied = kysely.withPlugin(note)
  await run({ reader: spied as unknown as World['db']['reader'], writer: spied as unknown as Writer })

  const costs: Cost[] = []
  for (const node of nodes) {
    const statement = kysely.getExecutor().compileQuery(node, { queryId: 'explained' })
    for (const executions of [0, 6]) costs.push(await explain(kysely, statement, executions))
  }
  return costs
}

let prepared = 0

async function explain(kysely: Kysely<Schema>, statement: CompiledQuery, executions: number): Promise<Cost> {
  const rolledBack = Symbol('rolled back')
  const name = `explained_${++prepared}`
  let plan: PlanNode | undefined
  await kysely
    .transaction()
    .execute(async (tx) => {
      const raw = (text: string) => tx.executeQuery<unknown>(CompiledQuery.raw(text))
      await raw(`prepare ${name} as ${statement.sql}`)
      const values = statement.parameters.map(literal).join(', ')
      const call = values === '' ? name : `${name}(${values})`
      await raw('savepoint before')
      for (let n = 0; n < executions; n += 1) {
        await raw(`execute ${call}`)
        await raw('rollback to savepoint before')
      }
      const { rows } = await raw(`explain (analyze, buffers, format json) execute ${call}`)
      plan = (rows as unknown as Explained)[0]['QUERY PLAN'][0].Plan
      throw rolledBack
    })
    .catch((error: unknown) => {
      if (error !== rolledBack) throw error
    })
  if (plan === undefined) throw new Error('no plan')
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scanned: scansOf(plan) }
}

const scansOf = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '?'] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]

/** A parameter as SQL would write it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return quoted(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  if (value instanceof Uint8Array) return quoted(`\\x${Buffer.from(value).toString('hex')}`)
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
