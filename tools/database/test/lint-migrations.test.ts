import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../src/lint-migrations.ts', import.meta.url))

function lint(text: string, name = '0027_next.sql') {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), text)
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

describe('a migration is refused that', () => {
  test.each([
    ['create index charges_rail on charges (rail);', 'require-concurrent-index-creation'],
    ['alter table charges add column n integer not null;', 'adding-required-field'],
    ['alter table charges add constraint c check (amount > 0);', 'constraint-missing-not-valid'],
    ['alter table charges rename column rail to network;', 'renaming-column'],
    ['alter table charges alter column amount type bigint;', 'changing-column-type'],
    ['alter table charges drop column rail;', 'ban-drop-column'],
    ['drop table charges;', 'ban-drop-table'],
  ])('breaks the previous release or holds a table: %s', (text, rule) => {
    const { status, said } = lint(`-- phase: expand\n${text}\n`)
    expect([status, said]).toEqual([1, expect.stringContaining(rule)])
  })

  test('names no phase', () => {
    expect(lint('select 1;')).toMatchObject({
      status: 1,
      said: expect.stringContaining('0027_next.sql needs a line "-- phase: expand"') as unknown,
    })
  })
})

describe('a migration passes that', () => {
  test.each([
    ['expand', 'alter table charges add column settled_by text;'],
    ['expand', 'create table t (id bigint primary key, n integer not null);\ncreate index t_n on t (n);'],
    ['expand', '-- mode: concurrently\ncreate index concurrently charges_rail on charges (rail);'],
    ['contract', 'alter table charges drop column rail;'],
  ])('belongs to its phase: %s, %s', (phase, text) => {
    expect(lint(`-- phase: ${phase}\n${text}\n`)).toEqual({ status: 0, said: '' })
  })

  test('is frozen', () => {
    expect(lint('drop table charges;', '0026_refused_rows.sql')).toEqual({ status: 0, said: '' })
  })
})
