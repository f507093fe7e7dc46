import { sql } from 'kysely'
import type { Reader } from './database.ts'

export async function readTimeMs(reader: Reader): Promise<number> {
  const { ms } = await reader
    .selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as('ms'))
    .executeTakeFirstOrThrow()
  return ms
}
