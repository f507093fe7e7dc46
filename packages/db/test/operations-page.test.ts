import { readFile } from 'node:fs/promises'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '@merchant-payments/testing/client'

const folder = new URL('../../../docs/', import.meta.url)
const pages = await Promise.all(
  ['operations.md', 'stuck-money.md'].map((name) => readFile(new URL(name, folder), 'utf8')),
)

/** Words of the text that only look like a statement. */
const FRAGMENTS = ['select *']
/** Statements that EXPLAIN takes. The others concern roles and the server. */
const EXPLAINED = /^(?:select|insert|update|delete) /
/** The pages give these to an administrator of the server, or to the owner of the tables. */
const OF_OTHERS =
  /pg_reload_conf|pg_promote|pg_wal_replay_resume|^delete from (?:deliveries|archived_months) /
/** More than a change of the pages' form would leave. */
const STATEMENTS_MIN = 30

const statements = statementsOf(pages.join('\n')).filter(
  (text) => EXPLAINED.test(text) && !FRAGMENTS.includes(text),
)

let database: TestDatabase
let [operator, administrator]: pg.Client[] = []
beforeAll(async () => {
  database = await cloneDatabase()
  operator = await connect(database.appUrl)
  administrator = await connect(database.url)
})
afterAll(async () => {
  await Promise.all([operator?.end(), administrator?.end()])
  await database?.drop()
})

test('the pages have statements for operators', () => {
  expect(statements.length).toBeGreaterThan(STATEMENTS_MIN)
})

test('the pages use no function of PostgreSQL that version 17 lacks, or that reads no UUID of version 7 there', () => {
  const newer = /\b(?:uuid_extract_timestamp|uuidv[47]|casefold|array_sort|array_reverse)\(/g
  expect(pages.flatMap((page) => page.match(newer) ?? [])).toEqual([])
})

describe('after a restore', () => {
  const RESTORED_TO = '2026-11-23 00:15:00+00'
  /** Stamped before that time, and committed after it. */
  const STAMPED_AT = '2026-11-23T00:14:58.000Z'

  test('the export of the old database has a charge that was stamped before the restored time', async () => {
    const [select = ''] = /(?<=^copy \()[^;]*(?=\) to stdout)/m.exec(pages.join('\n')) ?? []
    await insert(`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
      submit_deadline) values ('shop', gen_random_uuid(), gen_random_uuid(), 'rail', 'live', 5, 'XAF', 'r-1', $1, $1)`)
    expect(select).toContain(RESTORED_TO)
    expect((await operator?.query(select))?.rows).toMatchObject([{ reference: 'r-1' }])
  })

  test('the list of moves has a move that was stamped before the restored time, with its time', async () => {
    const list = statements.find((text) => text.includes(`action = 'merchant_client.move'`)) ?? ''
    await insert(`insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target, merchant_id, reason, before,
        after, request_id, idempotency_key, fingerprint)
      values (uuid_v7_floor($1), 'operator:a', 'a', 'operator', 'merchant_client.move', 'shop', 'shop', 'r', '{}',
        '{"state":"left"}', 'r', 'k', '')`)
    expect(list).toContain(RESTORED_TO)
    expect((await operator?.query(list))?.rows).toMatchObject([{ state: 'left', at: new Date(STAMPED_AT) }])
  })

  /** A row without the rows to which it belongs. */
  async function insert(statement: string) {
    await administrator?.query('set session_replication_role = replica')
    await administrator?.query(statement, [STAMPED_AT])
    await administrator?.query('set session_replication_role = origin')
  }
})

test.each(statements)('the newest schema has what its reader may run: %s', async (statement) => {
  const reader = OF_OTHERS.test(statement) ? administrator : operator
  expect(await reader?.query(`explain ${statement}`)).toMatchObject({ command: 'EXPLAIN' })
})

/** Those of the blocks in SQL, of psql's commands and of the text. */
function statementsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```sql\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.replaceAll(/--.*$/gm, '').split(';'),
  )
  const commands = [...text.matchAll(/ -(?:At)?c (["'])(.*?)\1/g)].map(([, , command = '']) => command)
  const inline = [...text.matchAll(/`([a-z]+ [^`\n]*)`/g)].map(([, words = '']) => words)
  return [...new Set([...blocks, ...commands, ...inline].map(complete))]
}

/** With a value in the place of what the reader puts in. */
function complete(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, ' ').replaceAll('= …', "= '1'").replaceAll('<pid>', '1')
}
