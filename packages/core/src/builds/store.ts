import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

export type App = 'api' | 'worker'

/** docs/spec-gaps.md, staff: the newest builds that are kept. */
const BUILDS_KEPT = 1_000

export async function insertBuild(writer: Writer, app: App, build: string, nowMs: number): Promise<void> {
  await sql`
    with old as (
      delete from builds where first_at < (
        select first_at from builds order by first_at desc offset ${sql.lit(BUILDS_KEPT - 1)} limit 1)
    )
    insert into builds (app, build, first_at) values (${app}, ${build}, ${instant(nowMs)}::timestamptz)
    on conflict (app, build) do nothing`.execute(writer)
}

interface Between {
  readonly fromMs: number
  readonly untilMs: number
  readonly max: number
}

export async function listBuilds(reader: Reader, { fromMs, untilMs, max }: Between) {
  const rows = await reader
    .selectFrom('builds')
    .select(['app', 'build', 'first_at'])
    .where('first_at', '>=', sql<number>`${instant(fromMs)}::timestamptz`)
    .where('first_at', '<', sql<number>`${instant(untilMs)}::timestamptz`)
    .orderBy('first_at', 'desc')
    .orderBy('app')
    .limit(max)
    .execute()
  return rows.toReversed()
}
