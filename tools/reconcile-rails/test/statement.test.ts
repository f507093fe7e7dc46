import { randomUUID } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getStatement, type RailCode, type Rails, systemClock } from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import type { StatementColumns } from '@merchant-payments/statements'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcileStatement } from '../src/statement.ts'

/** `STATEMENT_LINES=1000000` compares a million. */
const LINES = Number(process.env['STATEMENT_LINES'] ?? 100_000)
const PLANTED = 10
const MERCHANTS = 20
const RAIL = 'push'
const DAY = '2026-11-21'
/** No charge was opened near it, so its comparison is short. The other days of this file are the same. */
const QUIET_DAY = '2026-12-20'
const DAY_START_MS = Date.parse('2026-11-20T23:00:00Z')
/** Memory that comparing may add, whatever the size of the file. */
const MEMORY_BYTES_MAX = 160 * 1_024 * 1_024
const TIMEOUT_MS = 1_800_000

const columns: StatementColumns = {
  rail: RAIL,
  delimiter: ',',
  utcOffset: '+01:00',
  date: 'Date',
  dayFirst: false,
  status: 'Status',
  succeeded: ['Successful'],
  type: 'Type',
  charges: ['Debit'],
  payouts: ['Cash in'],
  reference: 'External id',
  transaction: 'Id',
  amount: ['Amount'],
  defaultCurrency: 'XAF',
}
const rails = new Map([[RAIL as RailCode, {}]]) as unknown as Rails

let database: TestDatabase
let db: Database
let folder: string
beforeAll(async () => {
  database = await cloneDatabase()
  db = openTestDatabase(database.appUrl, { poolSize: 2 })
  folder = await mkdtemp(join(tmpdir(), 'statement-'))
  await seedLedger()
}, TIMEOUT_MS)
afterAll(async () => {
  await db.close()
  await database.drop()
  await rm(folder, { recursive: true })
})

const hexOf = (n: number, digits: number) => n.toString(16).padStart(digits, '0')
const referenceOf = (n: number) => `00000000-0000-4000-8000-${hexOf(n, 12)}`
const openedAtMs = (n: number) => DAY_START_MS + 60_000 + Math.floor((n * 80_000_000) / LINES)

/**
 * Charge n of the day, opened in the order of n. Without triggers, as a restore of a dump. The states of the planted ones
 * are those of `plan`.
 */
async function seedLedger(): Promise<void> {
  const owner = await connect(database.url)
  await owner.query('set session_replication_role = replica')
  const id = `(lpad(to_hex(${DAY_START_MS}::bigint + 60000 + (n::bigint * 80000000) / ${LINES}), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid`
  const opened = `to_timestamp((${DAY_START_MS}::bigint + 60000 + (n::bigint * 80000000) / ${LINES}) / 1000.0)`
  await owner.query(
    `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, rail_txn_id,
        opened_at, submit_deadline, settled_at)
      select 'm' || n % ${MERCHANTS}, ${id}, ${id}, '${RAIL}',
        case when n <= ${PLANTED} then 'failed' when n <= ${2 * PLANTED} then 'duplicate' else 'succeeded' end,
        1000 + n % 500, 'XAF', '00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'), 'T' || n,
        ${opened}, ${opened}, ${opened} + interval '20 seconds'
      from generate_series(1, ${LINES}) n`,
  )
  await owner.query(
    `insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail,
        reference, instruction, submit_deadline)
      select 'm1', ${id}, ${id}, 'pending', 300, 'XAF', '{}', false, ${opened}, '${RAIL}',
        '00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'), 'accepted', ${opened}
      from generate_series(1, ${PLANTED}) n`,
  )
  await owner.query('vacuum analyze charges')
  await owner.end()
}

const inOrder = (one: string | null, other: string | null) => ((one ?? '') < (other ?? '') ? -1 : 1)

const timeOf = (ms: number) => new Date(ms + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

/** What the file has of charge n. Groups of `PLANTED` charges differ, each in its own way. */
const plan = (n: number): readonly string[] => {
  const line = (fields: { reference?: string; transaction?: string; amount?: number } = {}) =>
    [
      fields.transaction ?? `T${n}`,
      fields.reference ?? referenceOf(n),
      timeOf(openedAtMs(n) + 15_000),
      'Successful',
      'Debit',
      'FRI:237670000000/MSISDN',
      fields.amount ?? 1_000 + (n % 500),
    ].join(',')
  const group = Math.ceil(n / PLANTED)
  // 1: failed here. 2: duplicates here. 3: not in the file. 4: another amount. 5: twice. 6: our reference is missing.
  if (group === 3) return []
  if (group === 4) return [line({ amount: 999_999 })]
  if (group === 5) return [line(), line({ transaction: `U${n}` })]
  if (group === 6) return [line({ reference: '' })]
  return [line()]
}

async function writeStatement(): Promise<string> {
  const path = join(folder, 'statement.csv')
  const file = await open(path, 'w')
  await file.write('Id,External id,Date,Status,Type,From,Amount\n')
  // Newest first, as the operator writes.
  let text = ''
  for (let n = LINES; n > 0; n -= 1) {
    for (const line of plan(n)) text += `${line}\n`
    if (text.length > 1_000_000) {
      await file.write(text)
      text = ''
    }
  }
  for (let n = 1; n <= PLANTED; n += 1) {
    text += `X${n},unknown-${n},${timeOf(DAY_START_MS)},Successful,Debit,x,700\n`
    text += `R${n},00000000-0000-4000-9000-${hexOf(n, 12)},${timeOf(DAY_START_MS)},Successful,Cash in,x,-300\n`
    text += `F${n},${referenceOf(n)},${timeOf(DAY_START_MS)},Failed,Debit,x,700\n`
  }
  await file.write(text)
  await file.close()
  return path
}

test(
  `of ${LINES} lines, all planted differences are found and no other, in bounded memory`,
  async () => {
    const path = await writeStatement()
    const operator = { name: 'amina', reason: 'A test.', requestId: 'reconcile-1' }
    const before = process.memoryUsage().rss
    const id = await reconcileStatement({ db, rails, clock: systemClock, operator }, columns, DAY, path)
    expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY_BYTES_MAX)
    const { differences: _, has_more: __, ...found } = await getStatement({ db }, id, first)
    expect(found).toMatchObject({
      status: 'matched',
      lines: LINES + 3 * PLANTED,
      money_lines: LINES + 2 * PLANTED,
      matched: LINES - 5 * PLANTED + 2 * PLANTED,
      ours_only: PLANTED,
      theirs_only: 2 * PLANTED,
      amount_differs: PLANTED,
      duplicate: 2 * PLANTED,
    })
    const referencesOf = async (verdict: 'ours_only' | 'theirs_only' | 'amount_differs' | 'duplicate') =>
      (await getStatement({ db }, id, { ...first, verdict })).differences
        .map(({ reference }) => reference)
        .toSorted(inOrder)
    const group = (number: number) =>
      Array.from({ length: PLANTED }, (__, n) => referenceOf((number - 1) * PLANTED + n + 1))
    expect(await referencesOf('ours_only')).toEqual(group(3))
    expect(await referencesOf('amount_differs')).toEqual(group(4))
    expect(await referencesOf('duplicate')).toEqual([...group(2), ...group(5)].toSorted(inOrder))
    const unknown = Array.from({ length: PLANTED }, (__, n) => `unknown-${n + 1}`)
    expect(await referencesOf('theirs_only')).toEqual([...group(1), ...unknown].toSorted(inOrder))
  },
  TIMEOUT_MS,
)

test('a text of several lines is read whole, wherever the file is read in parts', async () => {
  const path = join(folder, 'texts.csv')
  const text = 'Coffee\n'.repeat(90)
  const lines = Array.from(
    { length: 2_000 },
    (_, n) => `T${n},text-${n},2026-12-01 10:00:00,Successful,Debit,"${text}",700`,
  )
  await writeFile(path, ['Id,External id,Date,Status,Type,From,Amount', ...lines, ''].join('\n'))
  const operator = { name: 'amina', reason: 'A test.', requestId: 'reconcile-2' }
  const id = await reconcileStatement(
    { db, rails, clock: systemClock, operator },
    columns,
    '2026-12-01',
    path,
  )
  expect(await getStatement({ db }, id, first)).toMatchObject({ lines: 2_000, money_lines: 2_000 })
})

test('a file with a quote that does not end is refused', async () => {
  const path = join(folder, 'quote.csv')
  await writeFile(path, `Id,External id,Date,Status,Type,From,Amount\nT1,"${'x\n'.repeat(1_000_000)}`)
  const operator = { name: 'amina', reason: 'A test.', requestId: 'reconcile-3' }
  const comparing = { db, rails, clock: systemClock, operator }
  await expect(reconcileStatement(comparing, columns, '2026-12-02', path)).rejects.toThrow(
    `${path}: a line is too long, or a quote does not end`,
  )
})

const first = { verdict: null, after: 0, limit: 100 } as const

const reconcileFile = async (day: string, bytes: string | Uint8Array) => {
  const path = join(folder, `${day}.csv`)
  await writeFile(path, bytes)
  const operator = { name: 'amina', reason: 'A test.', requestId: `reconcile-${randomUUID()}` }
  return reconcileStatement({ db, rails, clock: systemClock, operator }, columns, day, path)
}
const heads = 'Id,External id,Date,Status,Type,From,Amount\n'

test('a quoted cell is read whole, wherever its line breaks are', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, n) => `Q${n},quoted-${n},2026-12-12 10:00:00,Successful,Debit,"a\n\nname 5"" of 5"",\n",5\n`,
  )
  const id = await reconcileFile('2026-12-12', heads + rows.join(''))
  expect(await getStatement({ db }, id, first)).toMatchObject({ lines: 20_000, money_lines: 20_000 })
})

test('a file that is not UTF-8, or cannot be read, replaces no statement', async () => {
  const id = await reconcileFile('2026-12-13', heads)
  const row = new TextEncoder().encode(`${heads}N1,n,2026-12-13 10:00:00,Successful,Debit,x,5\n`)
  await expect(reconcileFile('2026-12-13', Uint8Array.from([...row, 0xe9, 0x0a]))).rejects.toThrow(
    'the file is not UTF-8',
  )
  const operator = { name: 'amina', reason: 'A test.', requestId: 'reconcile-none' }
  const absent = join(folder, 'absent.csv')
  await expect(
    reconcileStatement({ db, rails, clock: systemClock, operator }, columns, '2026-12-13', absent),
  ).rejects.toThrow('ENOENT')
  expect((await getStatement({ db }, id, first)).status).toBe('matched')
})

test('the line of a fault is that of the file, also behind its first part', async () => {
  const text = `Statement of the shop\nPeriod,x\n\n${heads}${filler()}\nN2,n,2026-12-14 10:00:00,Successful,Debit,x,5x\n`
  await expect(reconcileFile('2026-12-14', text)).rejects.toThrow('line 20006 of the file: the amount')
})

test('a file of mixed line ends is read whole, wherever it is read in parts', async () => {
  const mixed = filler()
    .replaceAll(/(?<=[05],filler.*)\n/g, '\r\n')
    .replaceAll('9,2026', '9\r,2026')
  const id = await reconcileFile('2026-12-15', `Boutique\rChez Paul\r\n${heads}${mixed}`)
  expect(await getStatement({ db }, id, first)).toMatchObject({ lines: 20_000, money_lines: 20_000 })
})

test('a time that cannot be held is left out', async () => {
  const line = 'N1,n,0001-01-01 00:00:00,Successful,Debit,x,5\n'
  const id = await reconcileFile('2026-12-16', heads + line)
  expect((await getStatement({ db }, id, first)).differences).toMatchObject([{ reference: 'n', at: null }])
})

test.each([
  ['is empty', '', 'no line names the columns'],
  ['is a page of the portal', '<html><p>Your session has expired.</p></html>\n', 'names the columns'],
  [
    'has a broken amount behind its first part',
    `${heads}${filler()}N2,n,2026-12-14 10:00:00,Successful,Debit,x,5x\n`,
    'the amount is',
  ],
  [
    'has a NUL',
    `${heads}N3,n\0,2026-12-14 10:00:00,Successful,Debit,x,5\n`,
    'line 2 of the file: a field has',
  ],
  [
    'has larger sums than can be held',
    heads + 'N4,n,2026-12-14 10:00:00,Successful,Debit,x,9999999999999\n'.repeat(1_000),
    'The amounts of the file are too large',
  ],
])('a file that %s replaces no statement', async (_, text, message) => {
  const id = await reconcileFile('2026-12-14', heads)
  await expect(reconcileFile('2026-12-14', text)).rejects.toThrow(message)
  expect((await getStatement({ db }, id, first)).status).toBe('matched')
})

test('a comparison that another statement of the day replaces does not end as one that is done', async () => {
  const path = join(folder, 'replaced.csv')
  await writeFile(path, heads)
  const operator = { name: 'amina', reason: 'A test.', requestId: 'reconcile-replaced' }
  let hasOther = false
  /** Between the upload of the one statement and its comparison, the other one is uploaded and compared. */
  const interrupted: Database = {
    ...db,
    transact: async (work) => {
      const matching = await db.reader
        .selectFrom('statements')
        .select('id')
        .where('status', '=', 'matching')
        .execute()
      if (matching.length > 0 && !hasOther) {
        hasOther = true
        await reconcileFile(QUIET_DAY, heads)
      }
      return db.transact(work)
    },
  }
  const comparing = { db: interrupted, rails, clock: systemClock, operator }
  await expect(reconcileStatement(comparing, columns, QUIET_DAY, path)).rejects.toThrow(
    'another statement of the day has replaced this one',
  )
  expect(hasOther).toBe(true)
})

test.each([
  ['cut to its first lines', ''],
  ['replaced by another of as many lines', 'N2,n,2026-12-17 10:00:00,Successful,Debit,x,5\n'],
])('a file that is %s while it is read is not compared', async (_, rest) => {
  const path = join(folder, 'changed.csv')
  const line = 'N1,n,2026-12-17 10:00:00,Successful,Debit,x,5\n'
  await writeFile(path, `${heads}${line}${line}`)
  /** Changes the file after its first reading, when the statement begins. */
  const changing: Database = {
    ...db,
    transact: async (work) => {
      await writeFile(path, `${heads}${line}${rest}`)
      return db.transact(work)
    },
  }
  const operator = { name: 'amina', reason: 'A test.', requestId: `reconcile-${randomUUID()}` }
  const comparing = { db: changing, rails, clock: systemClock, operator }
  await expect(reconcileStatement(comparing, columns, '2026-12-17', path)).rejects.toThrow(
    `${path}: the file has changed while it was read`,
  )
  const statements = db.reader.selectFrom('statements').select('status').where('status', '<>', 'replaced')
  expect(await statements.where('day', '=', '2026-12-17').execute()).toEqual([{ status: 'reading' }])
})

/** More lines than one part holds. */
function filler(): string {
  return Array.from(
    { length: 20_000 },
    (_, n) => `F${n},filler-${n},2026-12-14 10:00:00,Successful,Debit,x,5\n`,
  ).join('')
}
