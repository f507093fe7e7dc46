import type { Client } from 'pg'
import { withClient } from './client.ts'

/** A statement of the service, with the types that a schema gives its parameters and its result. */
export interface DescribedStatement {
  readonly text: string
  readonly parameters: readonly string[]
  readonly results: readonly string[]
}

/** Describes statements one after the other; null for a statement that the schema does not fit. */
export async function describeStatements(
  databaseUrl: string,
  texts: readonly string[],
): Promise<(DescribedStatement | null)[]> {
  return withClient(databaseUrl, async (client) => {
    const described: (DescribedStatement | null)[] = []
    for (const text of texts) described.push(await describeStatement(client, text))
    return described
  })
}

async function describeStatement(client: Client, text: string): Promise<DescribedStatement | null> {
  try {
    await client.query(`prepare described as ${text}`)
  } catch {
    return null
  }
  const { rows } = await client.query<Omit<DescribedStatement, 'text'>>(
    `select parameter_types::text[] as parameters, coalesce(result_types::text[], '{}') as results
      from pg_prepared_statements where name = 'described'`,
  )
  await client.query('deallocate described')
  const [types] = rows
  return types === undefined ? null : { text, ...types }
}
