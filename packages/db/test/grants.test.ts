import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { grants, privilegesOf } from './grants.ts'

const database = await cloneDatabase()
const client = await connect(database.url)
afterAll(async () => {
  await client.end()
  await database.drop()
})

const APP = 'merchant_payments_app'
const REPORT = 'merchant_payments_report'

const rows = async <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) =>
  (await client.query<Row>(statement, values)).rows

/** Each table of the schema with the rights granted on the whole table; null means PUBLIC. */
const tableGrants = (role: string | null) =>
  rows<{ name: string; partition: boolean; owner: string; privileges: string[] }>(
    `select c.relname as name, c.relispartition as partition, c.relowner::regrole::text as owner, array(
        select a.privilege_type from aclexplode(c.relacl) a
        where a.grantee = coalesce($1::text::regrole::oid, 0) order by 1) as privileges
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not (c.relkind = 'S' and exists (select from pg_depend where objid = c.oid and deptype = 'i'))
      order by 1`,
    [role],
  )

/** The columns on which a right was granted by column and not on the whole table. */
const columnGrants = async (table: string, role: string, privilege: string) =>
  (
    await rows<{ name: string }>(
      `select attname as name from pg_attribute, aclexplode(attacl) a
        where attrelid = $1::text::regclass and a.grantee = $2::text::regrole and a.privilege_type = $3 order by 1`,
      [table, role, privilege],
    )
  ).map(({ name }) => name)

const columnsOf = async (table: string) =>
  (
    await rows<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::text::regclass and attnum > 0 and not attisdropped order by 1`,
      [table],
    )
  ).map(({ name }) => name)

test('each table is in the list, belongs to the owner, and grants the app role what the list says', async () => {
  const tables = (await tableGrants(APP)).filter(({ partition }) => !partition)
  const expected = Object.entries(grants).map(([name, { app }]) => ({
    name,
    partition: false,
    owner: 'merchant_payments_owner',
    privileges: privilegesOf[app],
  }))
  expect(tables).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
})

test.each(Object.entries(grants))(
  'the app role may update the columns of %s that the list names',
  async (table, { appUpdates = [] }) => {
    expect(await columnGrants(table, APP, 'UPDATE')).toEqual(appUpdates.toSorted())
    expect(await columnGrants(table, APP, 'INSERT')).toEqual([])
  },
)

test('a partition is reached through its parent alone', async () => {
  const found = [...(await tableGrants(APP)), ...(await tableGrants(REPORT))].filter(
    ({ partition }) => partition,
  )
  expect(found.length).toBeGreaterThan(20)
  for (const { owner, privileges } of found) {
    expect([owner, privileges]).toEqual(['merchant_payments_owner', []])
  }
})

test('nothing is granted to everybody', async () => {
  expect((await tableGrants(null)).filter(({ privileges }) => privileges.length > 0)).toEqual([])
})

test.each(Object.entries(grants))(
  'the report role may read the columns of %s that the list does not hide, and update none',
  async (table, { hidden = [] }) => {
    const found = (await tableGrants(REPORT)).find(({ name }) => name === table)?.privileges
    const shownColumns = await columnGrants(table, REPORT, 'SELECT')
    expect(await columnGrants(table, REPORT, 'UPDATE')).toEqual([])
    if (hidden === 'all') expect([found, shownColumns]).toEqual([[], []])
    else if (hidden.length === 0) expect([found, shownColumns]).toEqual([['SELECT'], []])
    else {
      const shown = (await columnsOf(table)).filter((column) => !hidden.includes(column))
      expect([found, shownColumns]).toEqual([[], shown])
    }
  },
)

describe('a function', () => {
  const functions = () =>
    rows<{
      name: string
      definer: boolean
      path: string | null
      everybody: boolean
      app: boolean
      volatile: boolean
    }>(
      `select p.proname as name, p.prosecdef as definer, p.provolatile = 'v' as volatile,
          (select c from unnest(p.proconfig) c where starts_with(c, 'search_path=')) as path,
          exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
            where a.grantee = 0) as everybody,
          has_function_privilege('${APP}', p.oid, 'execute') as app
        from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`,
    )

  test('acts in the owner’s name only where the app role needs that, and for nobody else', async () => {
    const definers = (await functions()).filter(({ definer }) => definer)
    expect(definers.map(({ name, everybody, app }) => [name, everybody, app])).toEqual([
      ['drop_old_month', false, true],
      ['drop_oldest_month', false, true],
      ['ensure_partitions', false, true],
      ['forget_archive', false, false],
      ['held_snapshots', false, true],
      ['keep_planner_floor', false, true],
      ['refuse_while_moving', false, false],
      ['seal_audit_entry', false, false],
    ])
  })

  test('that reads tables finds them whatever the session’s search_path is', async () => {
    const reading = (await functions()).filter(({ volatile }) => volatile)
    expect(reading.length).toBeGreaterThan(20)
    expect(reading.filter(({ path }) => path !== 'search_path=public, pg_temp')).toEqual([])
  })
})
