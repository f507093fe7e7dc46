import { withClient } from './client.ts'

/**
 * Every row of every table of every schema as text, by table. Includes system tables, such as the planner's
 * samples.
 */
export async function dumpDatabase(databaseUrl: string): Promise<Map<string, readonly string[]>> {
  return withClient(databaseUrl, async (client) => {
    // Fills the planner's samples, so that the dump includes them.
    await client.query('analyze')
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where relkind in ('r', 'm')`,
    )
    const dump = new Map<string, readonly string[]>()
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`)
      if (rows.length > 0) {
        dump.set(
          name,
          rows.map(({ line }) => line),
        )
      }
    }
    return dump
  })
}
