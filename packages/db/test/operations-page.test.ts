import { readFile } from 'node:fs/promises'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
