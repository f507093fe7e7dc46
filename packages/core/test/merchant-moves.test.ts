import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Tx, verifyRestore } from '@merchant-payments/db'
import { holdTransaction, openProxy } from '@merchant-payments/testing'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createIntent } from '../src/payment-intents/create.ts'
import { getIntent } from '../src/payment-intents/queries.ts'
import { claimReturns } from '../src/charge-returns/store.ts'
import { claimCharges } from '../src/charges/store.ts'
import { claimErasures } from '../src/customers/erasure/jobs-store.ts'
import { findDueFanouts, listEventBodies } from '../src/events/store.ts'
import { type ClaimOrder, claimJobsInTurn, LEASE_MS } from '../src/queue/claim.ts'
import { readDueWork } from '../src/queue/due-work.ts'
import { claimRefunds } from '../src/refunds/store.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { collectPayerNumbers } from '../src/payer-numbers/collect.ts'
import { findChargesOfPart } from '../src/screens/lookup/store.ts'
import { rollUp } from '../src/rollups/roll-up.ts'
import { getFinanceSummary } from '../src/screens/exports/queries.ts'
import { costsOf } from './explain.ts'
import {
  accepted,
  ACME,
  makeCharge,
  makeIntent,
  makeRefunds,
  paid,
  PAYER,
  PUSH,
  wantedIntent,
} from './make.ts'
import { approveAll, billAndPay, meetAndErase, payAndRefund, sellOnPages } from './lives.ts'
import { settleCharges } from './passes.ts'
import { claimOf, confirmation, openWorld, saveCharge, saveIntent, type World } from './world.ts'

const TOOL = bundledProgram('tools/database/src/merchant-move.ts')
const OPERATOR = ['--operator', 'amina', '--reason', 'A test.']

let from: World
let to: World
let running: ChildProcess[] = []
beforeEach(async () => {
  from = await openWorld()
  to = await openWorld()
  approveAll(from)
  from.nowMs = Date.now() - 3 * 24 * 3_600_000
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  running = []
  await from.stop()
  await to.stop()
})

interface Move {
  readonly merchant: string
  readonly from: World
  readonly to: World
  readonly cells: readonly [string, string]
}

const start = (command: string, ...more: string[]) =>
  startMove({ merchant: ACME, from, to, cells: ['cell_a', 'cell_b'] }, command, ...more)

function startMove({ merchant, cells, ...worlds }: Move, command: string, ...more: string[]) {
  const env = { FROM_DATABASE_OWNER_URL: worlds.from.url, TO_DATABASE_OWNER_URL: worlds.to.url }
  const args = [TOOL, command, merchant, '--from', cells[0], '--to', cells[1], ...OPERATOR, ...more]
  const child = endWithThisProcess(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  running.push(child)
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], said, complained]) => ({ code: code as number | null, said, complained }),
  )
  return { child, ended }
}

async function move(command: string, ...more: string[]): Promise<string> {
  const { code, said, complained } = await start(command, ...more).ended
  expect({ command, code, complained, said: code === 0 ? '' : said }).toEqual({
    command,
    code: 0,
    complained: '',
    said: '',
  })
  return said
}

async function refused(command: string, ...more: string[]): Promise<string> {
  const { code, said, complained } = await start(command, ...more).ended
  expect(code).toBe(1)
  return `${said}${complained}`
}

/** Rows of every table that a move copies. */
async function liveWhole(world: World): Promise<void> {
  await payAndRefund(world)
  await sellOnPages(world)
  await billAndPay(world)
  await meetAndErase(world)
  approveAll(world)
  await rollUp(world)
}

const statesOf = async ({ owner }: World) =>
  (await sql<{ state: string }>`select state from merchant_moves`.execute(owner.writer)).rows.map(
    ({ state }) => state,
  )

const stepsOf = async ({ owner }: World) =>
  (
    await sql<{
      step: string
    }>`select (before ->> 'state') || ' to ' || (after ->> 'state') as step from audit_entries
      where action = 'merchant_client.move' order by id`.execute(owner.writer)
  ).rows.map(({ step }) => step)

async function countOf({ owner }: World, table: string): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::integer as n from ${sql.table(table)}`.execute(owner.writer)
  return rows[0]?.n ?? 0
}

const fencesOf = async ({ owner }: World) =>
  (
    await sql<{
      n: number
    }>`select count(*)::integer as n from pg_trigger where tgname = 'a_merchant_move'`.execute(owner.writer)
  ).rows[0]?.n

const everyEvent = { limit: 100, startingAfter: null, endingBefore: null, created: null } as const
const eventsOfMerchant = async ({ db }: World) =>
  (await listEventBodies(db.reader, ACME, everyEvent)).found.items

const idIn = ({ body }: { readonly body: string }) => (JSON.parse(body) as { id: string }).id
const make = (world: World) => createIntent(world, claimOf(), wantedIntent)

test('a move lets the staff of the new cell find payers by some digits, and those of the old cell no longer', async () => {
  await payAndRefund(from)
  to.nowMs = from.nowMs += 3_600_000
  await collectPayerNumbers(from)
  await sql`update payer_number_walk set position = uuid_v7_floor(now())`.execute(to.owner.writer)
  const part = PAYER.slice(5, 10)
  const foundIn = async ({ db }: World) => (await findChargesOfPart(db.lists, part, 50)).length
  expect([await foundIn(from), await foundIn(to)]).toEqual([1, 0])
  await move('run')
  await collectPayerNumbers(to)
  expect(await foundIn(to)).toBe(1)
  await move('forget', '--after-hours', '0')
  await collectPayerNumbers(from)
  expect(await countOf(from, 'payer_numbers')).toBe(0)
})

const daysOf = async (world: World) =>
  (
    await getFinanceSummary(
      world,
      { created: undefined, zone: 'utc', merchantId: null },
      new AbortController().signal,
    )
  ).days

describe('a move', () => {
  test('carries every row, the order of events, and the keys, and both audit logs have its steps', async () => {
    await liveWhole(from)
    const before = await eventsOfMerchant(from)
    const key = claimOf()
    const created = await createIntent(from, key, wantedIntent)
    const days = await daysOf(from)
    expect(days.length).toBeGreaterThan(0)

    const said = await move('run')
    expect(said).toMatch(/^OK: \d+ rows are the same in both cells\.$/m)
    expect(said).toContain(
      `haproxy: set map /etc/haproxy/cells/clients.map ${ACME} cell_b\nhaproxy: if it finds no entry: add map /etc/haproxy/cells/clients.map ${ACME} cell_b\nhaproxy: the line of the file clients.map, which it reads at its start: ${ACME} cell_b\n`,
    )
    expect(before.length).toBeGreaterThan(5)
    expect(await eventsOfMerchant(to)).toEqual(before)
    const replayed = await createIntent(to, key, wantedIntent)
    expect([replayed.replayed, idIn(replayed)]).toEqual([true, idIn(created)])
    expect(await countOf(to, 'invoice_items')).toBe(2)
    expect(await countOf(to, 'delivery_attempts')).toBe(2)
    expect(await countOf(to, 'intent_rollups')).toBeGreaterThan(0)
    expect(await stepsOf(from)).toEqual(['here to draining', 'draining to frozen', 'frozen to left'])
    expect(await stepsOf(to)).toEqual(['here to arriving', 'arriving to here'])

    expect(await statesOf(from)).toEqual(['left'])
    to.nowMs = from.nowMs
    expect([await daysOf(from), await daysOf(to)]).toEqual([[], days])
    await expect(getIntent(from, ACME, idIn(created))).rejects.toMatchObject({ code: 'authentication_error' })
    expect(await refused('forget')).toContain('stragglers may still come')
    await move('forget', '--after-hours', '0')
    for (const table of ['payment_intents', 'invoices', 'events', 'customers', 'idempotency_keys'])
      expect([table, await countOf(from, table)]).toEqual([table, 0])
    expect([await statesOf(from), await fencesOf(from), await fencesOf(to)]).toEqual([[], 0, 0])
    expect((await make(to)).status).toBe(200)
  })

  test('refuses writes while it goes on, reads on, and claims no job of the merchant', async () => {
    from.push.whenSubmitted = () => accepted
    const created = await make(from)
    const id = idIn(created)
    expect((await confirmIntent(from, claimOf(), id, confirmation())).status).toBe(200)
    expect(await move('plan')).toContain(`1 charges and payouts at ${PUSH}, which cell_b must ask about`)
    await move('drain')
    expect(await statesOf(from)).toEqual(['frozen'])
    await expect(make(from)).rejects.toMatchObject({ code: 'authentication_error' })
    expect((await getIntent(from, ACME, id)).status).toBe('processing')
    const later = from.nowMs + 3_600_000
    const order = { nowMs: later, limit: 10, leaseUntilMs: later + 60_000 }
    expect(await claimCharges(from.db.writer, order, { known: [PUSH] })).toEqual([])
    await move('copy')
    expect(await claimCharges(to.db.writer, order, { known: [PUSH] })).toEqual([])
    await move('verify')
    await move('switch')
    expect(await claimCharges(from.db.writer, order, { known: [PUSH] })).toEqual([])
    expect(await claimCharges(to.db.writer, order, { known: [PUSH] })).toHaveLength(1)
    // A switch that was interrupted is run again.
    await move('switch')
  })

  test('lets nobody write a row of the merchant in any table, in either cell', async () => {
    await liveWhole(from)
    const other = { ...claimOf(), merchantId: 'other' as typeof ACME }
    await createIntent(from, other, wantedIntent)
    await move('drain')
    await move('copy')
    const { rows: tables } = await sql<{ name: string }>`
      select c.relname as name from pg_trigger g join pg_class c on c.oid = g.tgrelid
      where g.tgname = 'a_merchant_move' and not c.relispartition order by 1`.execute(from.owner.writer)
    expect(tables.length).toBeGreaterThan(25)
    let tried = 0
    for (const world of [from, to]) {
      for (const { name } of tables) {
        if (name === 'disabled_clients') continue
        const { rows: present } = await sql`
          select from ${sql.table(name)} where merchant_id = ${ACME} limit 1`.execute(world.owner.writer)
        if (present.length === 0) continue
        tried += 1
        const write = sql`update ${sql.table(name)} set merchant_id = merchant_id where merchant_id = ${ACME}`
        await expect(write.execute(world.owner.writer)).rejects.toMatchObject({ code: '55P03' })
      }
    }
    expect(tried).toBeGreaterThan(30)
    expect(
      (await createIntent(from, { ...claimOf(), merchantId: other.merchantId }, wantedIntent)).status,
    ).toBe(200)
  })

  test('waits for a transaction that has already written a row of the merchant', async () => {
    await liveWhole(from)
    const commit = await holdTransaction(from.owner, (tx) =>
      sql`update customers set name = 'Eve' where merchant_id = ${ACME} and erased_at is null`.execute(tx),
    )
    const { ended } = start('run')
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where application_name = 'merchant-payments-move' and wait_event_type = 'Lock'
            and datname = current_database()`.execute(from.owner.writer)
        return rows.length
      })
      .toBeGreaterThan(0)
    await commit()
    expect(await ended).toMatchObject({ code: 0 })
    const { rows } = await sql<{
      name: string
    }>`select distinct name from customers where erased_at is null`.execute(to.owner.writer)
    expect(rows).toEqual([{ name: 'Eve' }])
  })

  /** Kills a copy that has written customers and payments, while it waits for the table of keys. */
  async function killCopy(): Promise<void> {
    const unlock = await holdTransaction(to.owner, (tx) =>
      sql`lock table idempotency_keys in share mode`.execute(tx),
    )
    try {
      const { child, ended } = start('copy')
      await expect.poll(() => countOf(to, 'events')).toBeGreaterThan(0)
      child.kill('SIGKILL')
      expect(await ended).toMatchObject({ code: null })
    } finally {
      await unlock()
    }
    expect(await countOf(to, 'idempotency_keys')).toBe(0)
  }

  test('goes on after its copy was killed', async () => {
    await liveWhole(from)
    await openCharge(from)
    await move('drain')
    await killCopy()
    expect((await verifyRestore(to.url, [])).faults).toEqual([])
    expect(await refused('verify')).toContain('FAULT: idempotency_keys: cell_a has ')
    expect(await refused('switch')).toContain('is not verified')
    await move('copy')
    await move('verify')
    await move('switch')
    expect(await eventsOfMerchant(to)).toEqual(await withReads(from))
  })

  /** The events of a merchant that has left, as its old cell still has them. */
  const withReads = async ({ owner }: World) =>
    (
      await sql<{
        body: string
      }>`select body from events where merchant_id = ${ACME} order by position desc`.execute(owner.writer)
    ).rows.map(({ body }) => body)

  test('is abandoned after its copy was killed, and can be made later', async () => {
    await liveWhole(from)
    await move('drain')
    await killCopy()
    await move('abandon')
    expect([await statesOf(from), await statesOf(to)]).toEqual([[], []])
    expect([await fencesOf(from), await fencesOf(to)]).toEqual([0, 0])
    expect(await countOf(to, 'payment_intents')).toBe(0)
    expect((await make(from)).status).toBe(200)
    expect(await stepsOf(from)).toEqual(['here to draining', 'draining to frozen', 'frozen to here'])
    await move('run')
    expect((await make(to)).status).toBe(200)
    expect(await refused('abandon')).toContain('lives in cell_b')
  })

  test('stops at a single value that differs', async () => {
    await liveWhole(from)
    await move('drain')
    await move('copy')
    await to.owner.transact(async (tx) => {
      await sql`select set_config('merchant_payments.move', ${ACME}, true)`.execute(tx)
      await sql`update customers set name = 'Mallory' where erased_at is null`.execute(tx)
    })
    expect(await refused('verify')).toMatch(
      /^FAULT: customers: cell_a has 2 rows \(\w+\), cell_b has 2 \(\w+\)$/m,
    )
    expect(await refused('switch')).toContain('is not verified')
  })

  test('begins only where no row of the merchant is', async () => {
    await make(from)
    await make(to)
    for (const command of ['plan', 'drain'])
      expect(await refused(command)).toContain('cell_b has 1 rows of acme in payment_intents')
    expect(await statesOf(from)).toEqual([])
  })
})

describe('a tool of another release', () => {
  test.each([
    [
      'misses a migration',
      'delete from schema_migrations where version = 46',
      '0046_merchant_moves.sql is missing',
    ],
    [
      'is of a later release',
      `insert into schema_migrations (version, name, checksum) values (9001, '9001_wallets.sql', 'x')`,
      '9001_wallets.sql is of another release',
    ],
  ])(
    'moves no merchant where the schema %s, because it would leave rows behind',
    async (_what, change, difference) => {
      await liveWhole(from)
      await move('drain')
      for (const { owner } of [from, to]) await sql.raw(change).execute(owner.writer)
      for (const command of ['plan', 'drain', 'copy', 'run']) {
        const said = await refused(command)
        for (const cell of ['cell_a', 'cell_b'])
          expect(said).toContain(`${cell} is not that of this release (${difference})`)
      }
      expect(await countOf(to, 'payment_intents')).toBe(0)
    },
  )

  test('forgets no merchant in a cell of a later release, whatever release the new cell has', async () => {
    await make(from)
    await move('run')
    const later = sql`insert into schema_migrations (version, name, checksum) values (9001, '9001_wallets.sql', 'x')`
    await later.execute(to.owner.writer)
    await later.execute(from.owner.writer)
    expect(await refused('forget', '--after-hours', '0')).toContain(
      'cell_a is not that of this release (9001_wallets.sql is of another release)',
    )
    expect(await countOf(from, 'payment_intents')).toBe(1)
    await sql`delete from schema_migrations where version = 9001`.execute(from.owner.writer)
    await move('forget', '--after-hours', '0')
  })
})

test('a move carries an invoice whose intent was replaced, with many payments between the two', async () => {
  const billedAtMs = from.nowMs
  await billAndPay(from)
  // More than a page.
  await sql`insert into payment_intents
      (merchant_id, id, amount, currency, status, payment_method_types, metadata, livemode)
    select ${ACME}, uuid_v7_floor(to_timestamp(${billedAtMs / 1_000}) + n * interval '1 ms'), 500, 'XAF',
      'requires_payment_method', ${[PUSH]}, '{}', false from generate_series(1, 600) n`.execute(
    from.owner.writer,
  )
  const { rows: minted } = await sql`
    select id from payment_intents where invoice_id is not null`.execute(from.owner.writer)
  expect(minted).toHaveLength(2)
  await move('run')
  await move('forget', '--after-hours', '0')
  expect([await countOf(from, 'invoices'), await countOf(from, 'payment_intents')]).toEqual([0, 0])
  expect([await countOf(to, 'invoices'), await countOf(to, 'payment_intents')]).toEqual([1, 602])
  expect((await verifyRestore(to.url, [])).faults).toEqual([])
})

test('a merchant of whom the old cell has no rows, such as one misspelt, does not move', async () => {
  await make(from)
  for (const command of ['plan', 'drain', 'run']) {
    const misspelt = { merchant: 'amce', from, to, cells: ['cell_a', 'cell_b'] } as const
    const { code, said, complained } = await startMove(misspelt, command).ended
    expect([command, code, `${said}${complained}`]).toEqual([
      command,
      1,
      expect.stringContaining('cell_a has no rows of amce: is its name right?'),
    ])
  }
  expect([await statesOf(from), await fencesOf(from), await statesOf(to)]).toEqual([[], 0, []])
})

test('a merchant with payments of testmode does not move to a cell with payments of livemode', async () => {
  await make(from)
  const live = { ...to, deployment: { ...to.deployment, livemode: true } }
  await createIntent(live, { ...claimOf(), merchantId: 'other' as typeof ACME }, wantedIntent)
  const fault = 'the payments of acme are of testmode, and those of cell_b of livemode'
  expect(await refused('plan')).toContain(fault)
  expect(await refused('drain')).toContain(fault)
  expect(await statesOf(from)).toEqual([])
})

/** A charge that an operator has ruled paid with a transaction. */
async function prove(world: World, merchantId: typeof ACME, statement: string) {
  const intent = await saveIntent(world, makeIntent('processing', { merchantId }))
  const { id } = await saveCharge(world, makeCharge('live', { merchantId, intentId: intent.id }))
  await sql`select ops_resolve_charge(${id}, 'succeeded', 'A test.', 'ada', ${statement})`.execute(
    world.owner.writer,
  )
  return id
}

const withdraw = (world: World, charge: string) =>
  sql`select ops_withdraw_statement(${charge}, 'Another payment.', 'ada')`.execute(world.owner.writer)

test('a merchant does not move while a transaction proves a charge of its own and one of the new cell', async () => {
  const own = await prove(from, ACME, 'tx-1')
  await prove(from, ACME, 'tx-2')
  const theirs = await prove(to, 'other' as typeof ACME, 'TX-1')
  const fault = `the transaction tx-1 of ${PUSH} proves ${own} in cell_a and ${theirs} in cell_b`
  for (const command of ['plan', 'drain', 'run']) expect(await refused(command)).toContain(fault)
  expect([await statesOf(from), await statesOf(to)]).toEqual([[], []])

  await withdraw(to, theirs)
  await move('drain')
  await sql`select ops_resolve_charge(${theirs}, 'succeeded', 'A test.', 'ada', 'TX-1')`.execute(
    to.owner.writer,
  )
  expect(await refused('copy')).toContain(fault)
  await withdraw(to, theirs)
  await move('run')
})

describe('a charge whose transaction its rail has reported for a charge of another merchant', () => {
  const other = 'other' as typeof ACME
  const report = async (merchantId: typeof ACME, railTxnId: string) => {
    const intent = await saveIntent(from, makeIntent('requires_payment_method', { merchantId }))
    return (await saveCharge(from, makeCharge('succeeded', { merchantId, intentId: intent.id, railTxnId })))
      .id
  }
  const isUnproven = async ({ owner }: World, charge: string) => {
    const { rows } = await sql<{ unproven: boolean }>`
      select is_unproven(merchant_id, id, ruling, rail_txn_id) as unproven from charges
      where 'ch_' || replace(id::text, '-', '') = ${charge}`.execute(owner.writer)
    return rows[0]?.unproven
  }
  const parted = (ruled: string, reported: string) =>
    new RegExp(`${ruled} of \\w+ is ruled paid .* reported for ${reported}: .*\\(ops_withdraw_statement\\)`)

  test('does not move away from that one, which alone shows that it is unproven', async () => {
    const ruled = await prove(from, ACME, 'tx-1')
    const [ruledLater, unharmed] = [await prove(from, ACME, 'tx-2'), await prove(from, ACME, 'tx-3')]
    const fault = parted(ruled, await report(other, 'TX-1'))
    for (const command of ['plan', 'drain', 'run']) expect(await refused(command)).toMatch(fault)
    expect([await statesOf(from), await statesOf(to)]).toEqual([[], []])

    await withdraw(from, ruled)
    await move('drain')
    const faultLater = parted(ruledLater, await report(other, 'tx-2'))
    expect(await refused('copy')).toMatch(faultLater)
    await move('abandon')
    await withdraw(from, ruledLater)
    await move('run')
    for (const charge of [ruled, ruledLater]) expect(await isUnproven(to, charge)).toBe(true)
    expect(await isUnproven(to, unharmed)).toBe(false)
  })

  test('is not left behind by that one', async () => {
    const ruled = await prove(from, other, 'tx-1')
    const fault = parted(ruled, await report(ACME, 'tx-1'))
    for (const command of ['plan', 'drain', 'run']) expect(await refused(command)).toMatch(fault)
    await withdraw(from, ruled)
    await move('run')
    await move('forget', '--after-hours', '0')
    expect(await isUnproven(from, ruled)).toBe(true)
  })

  test('does not open in the new cell, if its rail has reported it during the copy', async () => {
    const ruled = await prove(from, ACME, 'tx-1')
    for (const command of ['drain', 'copy', 'verify']) await move(command)
    const fault = parted(ruled, await report(other, 'tx-1'))
    expect(await refused('switch')).toMatch(fault)
    expect([await statesOf(from), await statesOf(to)]).toEqual([['frozen'], ['arriving']])
  })

  test('is not forgotten, if its rail has reported it after the move, until it is unproven where it lives', async () => {
    const ruled = await prove(from, ACME, 'tx-1')
    await move('run')
    const fault = parted(ruled, await report(other, 'tx-1'))
    expect(await refused('forget', '--after-hours', '0')).toMatch(fault)
    await withdraw(to, ruled)
    await move('forget', '--after-hours', '0')
  })

  test('is to be withdrawn where its merchant lives, if that one has left a copy of it here', async () => {
    await prove(from, other, 'tx-1')
    await report(ACME, 'tx-1')
    await sql`insert into merchant_moves (merchant_id, state, move_id, other_cell)
      values (${other}, 'left', gen_random_uuid(), 'cell_c')`.execute(from.owner.writer)
    expect(await refused('plan')).toContain(
      'withdraw the statement in cell_c, and forget other in cell_a (ops_withdraw_statement)',
    )
  })

  test('moves with it, if both are of one merchant, and stays unproven', async () => {
    const ruled = await prove(from, ACME, 'tx-1')
    await report(ACME, 'tx-1')
    await move('run')
    expect(await isUnproven(to, ruled)).toBe(true)
  })
})

describe('a move of a merchant with many jobs', () => {
  const JOBS = 2_000
  const columnsOf = {
    charge_jobs: `charge_id, rail) select gen_random_uuid(), '${PUSH}'`,
    refund_jobs: `refund_id, rail) select gen_random_uuid(), '${PUSH}'`,
    return_jobs: `return_id, rail) select gen_random_uuid(), '${PUSH}'`,
    fanout_jobs: 'event_id) select gen_random_uuid()',
    delivery_jobs: `delivery_id, event_id, endpoint_id) select gen_random_uuid(), gen_random_uuid(), 'main'`,
    customer_erasures: `customer_id, begun_at, keeps_row, clearing) select gen_random_uuid(), now(), true, 'events'`,
  }
  const tables = Object.keys(columnsOf) as (keyof typeof columnsOf)[]

  async function insertJobs({ owner }: World, merchant: string, dueSinceSec: number, count: number) {
    for (const table of tables)
      await sql
        .raw(
          `insert into ${table} (merchant_id, due_at, ${columnsOf[table].replace(
            ' select ',
            ` select '${merchant}', now() - make_interval(secs => ${dueSinceSec}) + make_interval(secs => n * 0.001), `,
          )} from generate_series(1, ${count}) n`,
        )
        .execute(owner.writer)
  }

  /** The times of the merchant's jobs, as one text for each table. */
  const timesOf = ({ owner }: World) =>
    Promise.all(
      tables.map(async (table) => {
        const { rows } = await sql<{ times: string }>`
          select md5(string_agg(due_at::text, ' ' order by due_at)) as times from ${sql.table(table)}
          where merchant_id = ${ACME}`.execute(owner.writer)
        return rows[0]?.times
      }),
    )

  async function expectCheapClaims(world: World): Promise<void> {
    const nowMs = Date.now()
    const one: ClaimOrder = { nowMs, limit: 1, leaseUntilMs: nowMs + LEASE_MS }
    const known = { known: [PUSH] }
    const costs = await costsOf(world, async ({ reader, writer }) => {
      expect(await readDueWork(reader, nowMs, world.rails, [])).toMatchObject({
        charges: true,
        deliveries: true,
      })
      await claimCharges(writer, one, known)
      await claimRefunds(writer, one, known)
      await claimReturns(writer, one, known)
      expect(await findDueFanouts(reader, nowMs, 1)).toHaveLength(1)
      expect(await claimJobsInTurn(writer, one, [], { behind: null })).toHaveLength(1)
      expect(await claimErasures(writer, 1)).toHaveLength(1)
    })
    // Not buffers, which also count dead rows, until no other transaction can see them.
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > JOBS / 20)).toEqual([])
  }

  test('costs the claims of other merchants nothing, and gives each job its time back', async () => {
    for (const world of [from, to]) {
      world.push.refunds = makeRefunds()
      await insertJobs(world, 'other', 60, 1)
    }
    await insertJobs(from, ACME, 3_600, JOBS)
    const before = await timesOf(from)
    await move('drain')
    await expectCheapClaims(from)
    await move('copy')
    await expectCheapClaims(to)
    await move('abandon')
    expect(await timesOf(from)).toEqual(before)

    await move('run')
    expect(await timesOf(to)).toEqual(before)
    // As a switch leaves them that is killed before it has ended.
    await sql`update charge_jobs set due_at = due_at + interval '8766000 hours' where merchant_id = ${ACME}`.execute(
      to.owner.writer,
    )
    await move('switch')
    expect(await timesOf(to)).toEqual(before)
  })
})

/** For as long as the move takes on a busy machine. */
async function keepOpen(tx: Tx): Promise<void> {
  for (const limit of ['transaction_timeout', 'idle_in_transaction_session_timeout'])
    await sql`set local ${sql.ref(limit)} = 0`.execute(tx)
}

/** A transaction that reads every table, such as a dump. */
async function readFor({ owner }: World): Promise<() => Promise<void>> {
  const reading = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const reader = owner.transact(async (tx) => {
    await keepOpen(tx)
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace`.execute(
      tx,
    )
    for (const { name } of rows)
      await sql`lock table only ${sql.table(name)} in access share mode`.execute(tx)
    reading.resolve()
    await end.promise
  })
  await Promise.race([reading.promise, reader])
  return async () => {
    end.resolve()
    await reader
  }
}

/** What a run has printed so far. */
function watch({ child }: ReturnType<typeof start>): () => string {
  let said = ''
  child.stdout?.on('data', (text: Buffer) => (said += text.toString()))
  return () => said
}

/** A session that waits for a lock learns late that its process was killed. */
const untilGone = async ({ owner }: World) => {
  const sessions = sql`select from pg_stat_activity
    where application_name = 'merchant-payments-move' and datname = current_database()`
  await expect.poll(async () => (await sessions.execute(owner.writer)).rows).toEqual([])
}

describe('a cell that others read for long', () => {
  test('opens the merchant at once, and the run that ends the move can be interrupted', async () => {
    await liveWhole(from)
    const end = await readFor(to)
    const first = start('run')
    const said = watch(first)
    await expect.poll(said, { timeout: 20_000 }).toContain('the fence of')
    expect(said()).toContain(`haproxy: set map /etc/haproxy/cells/clients.map ${ACME} cell_b`)
    first.child.kill('SIGKILL')
    await first.ended
    expect((await make(to)).status).toBe(200)
    await end()
    await untilGone(from)
    await untilGone(to)
    expect(await move('run')).toContain(`haproxy: set map /etc/haproxy/cells/clients.map ${ACME} cell_b`)
    expect([await statesOf(from), await statesOf(to), await fencesOf(to)]).toEqual([['left'], [], 0])
    expect(await countOf(from, 'charge_jobs')).toBe(0)
  })

  test.each(['old', 'new'] as const)(
    'that is being vacuumed is waited for while the merchant sells: the %s one',
    async (which) => {
      await make(from)
      const vacuumed = which === 'old' ? from : to
      const held = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const vacuum = vacuumed.owner.transact(async (tx) => {
        await sql`lock table charges in share update exclusive mode`.execute(tx)
        held.resolve()
        await end.promise
      })
      await Promise.race([held.promise, vacuum])
      const run = start('run')
      await expect.poll(watch(run), { timeout: 20_000 }).toContain('the fence of charges gives way')
      expect([await statesOf(from), await statesOf(to)]).toEqual([[], []])
      expect((await make(from)).status).toBe(200)
      end.resolve()
      await vacuum
      expect(await run.ended).toMatchObject({ code: 0 })
    },
  )

  test('keeps a month from being made before the merchant is closed, not afterwards', async () => {
    const at = sql`now() - interval '70 days'`
    await sql`select ensure_partitions(${at})`.execute(from.owner.writer)
    await sql`insert into events (merchant_id, id, type, body, position)
      values (${ACME}, uuid_v7_floor(${at}), 'invoice.paid', '{}', 1)`.execute(from.owner.writer)
    const end = await readFor(to)
    expect(await refused('run')).toContain('no month is made')
    expect([await statesOf(from), await statesOf(to)]).toEqual([[], []])
    expect((await make(from)).status).toBe(200)
    await end()
    await move('run')
  })
})

test('the old cell keeps nothing that an erasure in the new cell cannot reach', async () => {
  await make(from)
  const key = sql`gen_random_uuid(), repeat('k', 43)`
  await sql`insert into audit_number_keys (merchant_id, customer_id, payment_intent_id, key) values
    (${ACME}, gen_random_uuid(), ${key}), (${ACME}, null, ${key}), ('other', gen_random_uuid(), ${key})`.execute(
    from.owner.writer,
  )
  await move('run')
  await move('forget', '--after-hours', '0')
  const { rows } = await sql`
    select merchant_id, customer_id is not null as of_customer from audit_number_keys order by 1`.execute(
    from.owner.writer,
  )
  expect(rows).toEqual([
    { merchant_id: ACME, of_customer: false },
    { merchant_id: 'other', of_customer: true },
  ])
})

test('the audit log of the old cell says who has forgotten a merchant, and why', async () => {
  await make(from)
  await move('run')
  await move('forget', '--after-hours', '0', '--operator', 'binta', '--reason', 'Moved a week ago.')
  const { rows } = await sql`
    select before ->> 'state' as before, after ->> 'state' as after, actor_name as operator, reason
    from audit_entries where action = 'merchant_client.move' order by id`.execute(from.owner.writer)
  expect(rows.at(-1)).toEqual({
    before: 'left',
    after: 'gone',
    operator: 'binta',
    reason: 'Moved a week ago.',
  })
})

describe('two moves at once', () => {
  const other = 'other' as typeof ACME

  test('the end of one leaves the fence of the other', async () => {
    await make(from)
    await createIntent(from, { ...claimOf(), merchantId: other }, wantedIntent)
    const end = await readFor(to)
    const first = start('run')
    const said = watch(first)
    await expect.poll(said, { timeout: 20_000 }).toContain('the fence of')
    const second = { merchant: other, from, to, cells: ['cell_a', 'cell_b'] } as const
    expect(await startMove(second, 'drain').ended).toMatchObject({ code: 0 })
    await end()
    expect(await first.ended).toMatchObject({ code: 0 })
    const straggler = sql`insert into invoice_counters (merchant_id, last_number) values (${other}, 1)`
    await expect(straggler.execute(to.owner.writer)).rejects.toMatchObject({ code: '55P03' })
    expect(await startMove(second, 'run').ended).toMatchObject({ code: 0 })
    expect([await statesOf(to), await fencesOf(to)]).toEqual([[], 0])
  })
})

const openCharge = async (world: World) => {
  world.push.whenSubmitted = () => accepted
  expect((await confirmIntent(world, claimOf(), idIn(await make(world)), confirmation())).status).toBe(200)
}

const farJobsOf = async ({ owner }: World) => {
  const far = sql<{ n: number }>`
    select count(*)::integer as n from charge_jobs where due_at > now() + interval '1 year'`
  return (await far.execute(owner.writer)).rows[0]?.n
}

/** As a switch or an abandoned move leaves a cell that is killed once the merchant is open there. */
async function undoEnd({ owner: { writer } }: World): Promise<void> {
  await sql`update charge_jobs set due_at = due_at + interval '8766000 hours'`.execute(writer)
  await sql`create trigger a_merchant_move before update on customers
    for each row execute function refuse_while_moving()`.execute(writer)
}

describe('a merchant that has moved', () => {
  test('is no fault of its old cell, nor of the new one', async () => {
    await openCharge(from)
    await move('run')
    const old = await verifyRestore(from.url, [])
    expect([old.faults, old.openCharges, old.moves]).toEqual([
      [],
      0,
      [{ merchantId: ACME, state: 'left', otherCell: 'cell_b' }],
    ])
    expect(await verifyRestore(to.url, [])).toMatchObject({ faults: [], openCharges: 1, moves: [] })
  })

  test('has its jobs back, although haproxy did not take its line', async () => {
    await openCharge(from)
    await refused('run', '--socket', '/nonexistent/haproxy.sock')
    expect([await statesOf(from), await statesOf(to)]).toEqual([['left'], []])
    expect([await countOf(to, 'charge_jobs'), await farJobsOf(to)]).toEqual([1, 0])
  })

  test('is forgotten in its old cell only after the new one has what the switch owed it', async () => {
    await openCharge(from)
    await rollUp(from)
    await move('run')
    const counts = await countOf(to, 'intent_rollups')
    expect(counts).toBeGreaterThan(0)
    await undoEnd(to)
    await sql`delete from intent_rollups where merchant_id = '*'`.execute(to.owner.writer)
    await move('forget', '--after-hours', '0')
    expect([await countOf(to, 'charge_jobs'), await farJobsOf(to)]).toEqual([1, 0])
    expect([await countOf(to, 'intent_rollups'), await fencesOf(to)]).toEqual([counts, 0])
  })

  test('stays put off in the cell that it leaves for a third one, while the first forgets it', async () => {
    const third = await openWorld()
    try {
      await openCharge(from)
      await move('run')
      const onward = { merchant: ACME, from: to, to: third, cells: ['cell_b', 'cell_c'] } as const
      expect(await startMove(onward, 'drain').ended).toMatchObject({ code: 0 })
      await move('forget', '--after-hours', '0')
      expect(await farJobsOf(to)).toBe(1)
      expect(await startMove(onward, 'run').ended).toMatchObject({ code: 0 })
      expect(await farJobsOf(third)).toBe(0)
    } finally {
      await third.stop()
    }
  })

  test('can go back only once its old cell has forgotten it, and the tool says so', async () => {
    await make(from)
    await move('run')
    const back = { merchant: ACME, from: to, to: from, cells: ['cell_b', 'cell_a'] } as const
    const forgetFirst = 'forget them first, --from cell_a --to cell_b'
    for (const command of ['plan', 'run']) {
      const { code, said, complained } = await startMove(back, command).ended
      expect([command, code, `${said}${complained}`]).toEqual([
        command,
        1,
        expect.stringContaining(forgetFirst),
      ])
    }
    expect(await refused('plan')).toContain('acme has left cell_a for cell_b')
    await move('forget', '--after-hours', '0')
    expect(await startMove(back, 'run').ended).toMatchObject({ code: 0 })
    expect((await make(from)).status).toBe(200)
  })

  test('is not sent back to a cell that it has left for a third one', async () => {
    const third = await openWorld()
    try {
      await make(from)
      await move('run')
      const onward = { merchant: ACME, from: to, to: third, cells: ['cell_b', 'cell_c'] } as const
      expect(await startMove(onward, 'run').ended).toMatchObject({ code: 0 })
      expect(await startMove(onward, 'forget', '--after-hours', '0').ended).toMatchObject({ code: 0 })
      for (const command of ['switch', 'run'])
        expect(await refused(command)).toContain('cell_b expects no copy of acme')
      await move('forget', '--after-hours', '0')
    } finally {
      await third.stop()
    }
  })
})

/** As docs/operations.md gives it, for what the server has not noticed: a proxy can keep a session of a lost machine alive. */
const endMoves = ({ owner }: World) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'merchant-payments-move' and datname = current_database()`.execute(owner.writer)

test('a merchant whose move has lost its machine is opened again once the sessions are ended', async () => {
  await make(from)
  await sql`insert into charge_jobs (merchant_id, charge_id, rail, due_at, lease_until)
    values (${ACME}, gen_random_uuid(), ${PUSH}, now(), now() + interval '60 seconds')`.execute(
    from.owner.writer,
  )
  const [old, fresh] = [await openProxy(from.url), await openProxy(to.url)]
  const worlds = { from: { ...from, url: old.url }, to: { ...to, url: fresh.url } }
  startMove({ merchant: ACME, ...worlds, cells: ['cell_a', 'cell_b'] }, 'run')
  await expect.poll(() => fencesOf(from), { timeout: 20_000 }).toBeGreaterThan(25)
  for (const proxy of [old, fresh]) proxy.vanish()
  expect(await refused('abandon')).toContain('cell_a: another run moves acme')
  for (const world of [from, to]) await endMoves(world)
  await untilGone(from)
  await untilGone(to)
  await move('abandon')
  expect((await make(from)).status).toBe(200)
})

test('a merchant sells on in its old cell while the new one is away', async () => {
  await liveWhole(from)
  await move('drain')
  await move('copy')
  const away = { ...to, url: 'postgres://postgres@127.0.0.1:1/postgres' }
  const { code, said, complained } = await startMove(
    { merchant: ACME, from, to: away, cells: ['cell_a', 'cell_b'] },
    'abandon',
  ).ended
  expect([code, said]).toEqual([1, 'acme is here in cell_a\n'])
  expect(complained).toContain('cell_b is away')
  expect((await make(from)).status).toBe(200)
  expect([await statesOf(from), await fencesOf(from), await statesOf(to)]).toEqual([[], 0, ['arriving']])
  expect(await refused('run')).toContain('abandon it first')
  expect(await refused('switch')).toContain('acme is not moving in cell_a')
  await move('abandon')
  expect([await statesOf(to), await countOf(to, 'payment_intents')]).toEqual([[], 0])
  await move('run')
})

describe('an abandoned move that could not give the jobs their times back', () => {
  beforeEach(async () => {
    await openCharge(from)
    await move('drain')
  })

  test('does so when it is abandoned again, while the new cell is still away', async () => {
    const away = { ...to, url: 'postgres://postgres@127.0.0.1:1/postgres' }
    const abandon = () =>
      startMove({ merchant: ACME, from, to: away, cells: ['cell_a', 'cell_b'] }, 'abandon').ended
    const free = await holdTransaction(from.owner, async (tx) => {
      await keepOpen(tx)
      await sql`select from charge_jobs for update`.execute(tx)
    })
    expect(await abandon()).toMatchObject({ code: 1, said: '', complained: expect.stringContaining('lock') })
    await free()
    expect([await statesOf(from), await farJobsOf(from)]).toEqual([[], 1])
    expect((await make(from)).status).toBe(200)

    const { said, complained } = await abandon()
    expect([said, await farJobsOf(from), await fencesOf(from)]).toEqual(['acme is here in cell_a\n', 0, 0])
    expect(complained).toContain('cell_b is away')
    await move('abandon')
    expect([await statesOf(to), await fencesOf(to)]).toEqual([[], 0])
  })

  test('does so when it is abandoned again, although the new cell had not begun', async () => {
    await sql`delete from merchant_moves`.execute(to.owner.writer)
    await move('abandon')
    await undoEnd(from)
    await undoEnd(to)
    await move('abandon')
    expect([await farJobsOf(from), await fencesOf(from), await fencesOf(to)]).toEqual([0, 0, 0])
    expect(await refused('abandon', '--to', 'cell_c')).toContain('acme is not moving')
  })
})

test.each(['new', 'away'] as const)(
  'a merchant that never moved is not abandoned to a cell that is %s',
  async (which) => {
    await make(from)
    const url = which === 'away' ? 'postgres://postgres@127.0.0.1:1/postgres' : to.url
    const never = { merchant: ACME, from, to: { ...to, url }, cells: ['cell_a', 'cell_b'] } as const
    const { code, said, complained } = await startMove(never, 'abandon').ended
    expect([code, said]).toEqual([1, ''])
    expect(complained).toContain('acme is not moving')
  },
)

test('a merchant that has left is not opened again while its new cell is away', async () => {
  await make(from)
  await move('run')
  await move('forget', '--after-hours', '0')
  const away = { ...to, url: 'postgres://postgres@127.0.0.1:1/postgres' }
  const gone = { merchant: ACME, from, to: away, cells: ['cell_a', 'cell_b'] } as const
  expect(await startMove(gone, 'abandon').ended).toMatchObject({ code: 1, said: '' })
})

describe('a move of which a cell was restored to a time before it', () => {
  const jobsOf = async ({ owner }: World) =>
    (await sql<{ job: string }>`select to_jsonb(j)::text as job from charge_jobs j`.execute(owner.writer))
      .rows

  /** The old cell as it was at a time before the step to `left`: its ledger did not change since, its jobs come back. */
  async function restoreOld(jobs: readonly { job: string }[], state: 'here' | 'frozen'): Promise<void> {
    await from.owner.transact(async (tx) => {
      await (state === 'here'
        ? sql`delete from merchant_moves`.execute(tx)
        : sql`update merchant_moves set state = ${state}`.execute(tx))
      await sql`select set_config('merchant_payments.move', ${ACME}, true)`.execute(tx)
      for (const { job } of jobs)
        await sql`insert into charge_jobs select * from jsonb_populate_record(null::charge_jobs, ${job}::jsonb)`.execute(
          tx,
        )
    })
  }

  /** A payment that its rail still decides. */
  async function sell(): Promise<readonly { job: string }[]> {
    from.push.whenSubmitted = () => accepted
    for (const world of [from, to]) world.push.whenAsked = () => paid
    const id = idIn(await make(from))
    expect((await confirmIntent(from, claimOf(), id, confirmation())).status).toBe(200)
    const jobs = await jobsOf(from)
    expect(jobs).toHaveLength(1)
    return jobs
  }

  const settled = async () => {
    to.nowMs = from.nowMs += 3_600_000
    return [(await settleCharges(from)).moved, (await settleCharges(to)).moved]
  }

  test.each(['here', 'frozen'] as const)(
    'leaves the merchant to its new cell alone, if it was %s in the old one at that time',
    async (state) => {
      const jobs = await sell()
      await move('run')
      await restoreOld(jobs, state)
      expect(await move('restored')).toContain('is here in cell_b, and has left cell_a')
      await move('restored')
      expect(await statesOf(from)).toEqual(['left'])
      expect((await stepsOf(from)).at(-1)).toBe(`${state} to left`)
      expect(await jobsOf(from)).toEqual([])
      expect(await settled()).toEqual([0, 1])
      await expect(make(from)).rejects.toMatchObject({ code: 'authentication_error' })
      expect((await make(to)).status).toBe(200)
      await move('forget', '--after-hours', '0')
      expect([await statesOf(from), await fencesOf(from)]).toEqual([[], 0])
    },
  )

  const swap = () => {
    ;[from, to] = [to, from]
  }

  test('closes no cell in which the merchant lives', async () => {
    await make(from)
    expect(await refused('restored')).toContain('acme never came to cell_b')
    await move('drain')
    expect(await refused('restored')).toContain('acme never came to cell_b')
    await move('abandon')
    await move('run')
    swap()
    expect(await refused('restored')).toContain('acme has left cell_b')
    // It has moved back.
    swap()
    await move('forget', '--after-hours', '0')
    swap()
    await move('run')
    swap()
    expect(await refused('restored')).toContain('acme has left cell_b')
    // And the cell that it left last was restored to a time before.
    await to.owner.transact(async (tx) => {
      await sql`delete from merchant_moves`.execute(tx)
      // Nothing but a restore removes an entry.
      await sql`select set_config('session_replication_role', 'replica', true)`.execute(tx)
      await sql`delete from audit_entries where after ->> 'state' in ('draining', 'frozen', 'left')`.execute(
        tx,
      )
    })
    expect(await refused('restored')).toContain('acme came to cell_a later')
    swap()
    await move('restored')
    expect([await statesOf(from), await statesOf(to)]).toEqual([['left'], []])
    expect((await make(to)).status).toBe(200)
  })

  test('is made again from a copy of the old cell at its last instant, if the new cell has lost the merchant', async () => {
    const jobs = await sell()
    await move('run')
    await to.stop()
    to = await openWorld()
    to.push.whenAsked = () => paid
    await restoreOld(jobs, 'frozen')
    await move('run')
    expect(await statesOf(from)).toEqual(['left'])
    expect(await settled()).toEqual([0, 1])
    expect((await make(to)).status).toBe(200)
  })

  test('is forgotten by the old cell, also if it was begun anew on a spare server', async () => {
    const moveIds = async () =>
      (await sql<{ move_id: string }>`select move_id from merchant_moves`.execute(from.owner.writer)).rows
    const jobs = await sell()
    await move('run')
    const [first] = await moveIds()
    await to.stop()
    to = await openWorld()
    await restoreOld(jobs, 'frozen')
    await move('abandon')
    await move('run')
    // The old cell itself knows the first move alone.
    await sql`update merchant_moves set move_id = ${first?.move_id}`.execute(from.owner.writer)
    expect(await refused('forget', '--after-hours', '0')).toContain('cell_b has not opened acme')
    await move('restored')
    expect(await moveIds()).not.toEqual([first])
    await move('forget', '--after-hours', '0')
    expect(await statesOf(from)).toEqual([])
  })
})

describe('a move of old rows', () => {
  const uuidAt = (at: string) =>
    `${Date.parse(at).toString(16).padStart(12, '0')}70008000000000000001`.replace(
      /^(.{8})(.{4})(.{4})(.{4})/,
      '$1-$2-$3-$4-',
    )
  const run = ({ owner }: World, statement: string) => sql.raw(statement).execute(owner.writer)
  /** The number of rows of each partition that has some. */
  const partsOf = async (world: World) => {
    const tables = ['events', 'deliveries', 'delivery_attempts'].map(
      (table) => `select tableoid::regclass::text as part from ${table}`,
    )
    const { rows } = await run(
      world,
      `select part, count(*)::integer as n from (${tables.join(' union all ')}) t group by 1 order by 1`,
    )
    return (rows as { part: string; n: number }[]).map(({ part, n }) => `${part}: ${n}`)
  }
  const dropped = async (world: World) => {
    const { rows } = await run(
      world,
      `select month, outcome from drop_oldest_month(now() - interval '400 days', false)`,
    )
    return (rows as { month: string; outcome: string }[]).map(({ month, outcome }) => `${month} ${outcome}`)
  }

  /** A finished delivery whose event has another month than its attempt, and whose event may be gone. */
  async function insertOld(world: World, event: string, delivery: string, withEvent: boolean) {
    await run(world, `select ensure_partitions('${event}'), ensure_partitions('${delivery}')`)
    const [of, id] = [uuidAt(event), uuidAt(delivery)]
    if (withEvent) {
      await run(
        world,
        `insert into events (merchant_id, id, type, body, position) values ('${ACME}', '${of}', 'invoice.paid', '{}', 1)`,
      )
      await run(
        world,
        `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
            values ('${ACME}', '${of}', 'hook', '${id}', 'succeeded', '${delivery}')`,
      )
    }
    await run(
      world,
      `insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms)
          values ('${ACME}', '${id}', 1, '${of}', '${delivery}', 5)`,
    )
  }

  test('puts them into the months that they had, which the retention then drops', async () => {
    await insertOld(from, '2023-03-31T23:59:00Z', '2023-04-01T00:01:00Z', false)
    await insertOld(from, '2024-02-29T23:59:00Z', '2024-03-01T00:01:00Z', true)
    await move('run')
    expect(await partsOf(to)).toEqual([
      'deliveries_202402: 1',
      'delivery_attempts_202304: 1',
      'delivery_attempts_202403: 1',
      'events_202402: 1',
    ])
    let month: string[]
    do month = await dropped(to)
    while (month.length > 0)
    expect(await partsOf(to)).toEqual([])
  })

  test('hinders no write-off of deliveries by hand, and its own keep their month until the old cell forgets it', async () => {
    const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    const [writeOff = ''] = /^delete from deliveries [^;]*;/m.exec(page) ?? []
    await make(from)
    const [event, delivery] = ['2024-02-28T00:00:00Z', '2024-02-28T00:01:00Z']
    await run(from, `select ensure_partitions('${event}')`)
    for (const [merchant, status] of [
      [ACME, 'pending'],
      [ACME, 'exhausted'],
      ['other', 'exhausted'],
    ])
      await run(
        from,
        `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at, finished_at)
          values ('${merchant}', '${uuidAt(event)}', '${status}', gen_random_uuid(), '${status}', '${delivery}',
            case '${status}' when 'exhausted' then timestamptz '${delivery}' end)`,
      )
    await move('run')
    await run(from, writeOff)
    expect([await partsOf(from), await dropped(from)]).toEqual([
      expect.arrayContaining(['deliveries_202402: 2']),
      ['202402 unfinished'],
    ])
    await move('forget', '--after-hours', '0')
    expect(await dropped(from)).toEqual(['202402 dropped'])
  })

  test('keeps both cells from dropping a month until it has ended', async () => {
    await insertOld(from, '2024-02-29T23:59:00Z', '2024-03-01T00:01:00Z', true)
    await run(to, `select ensure_partitions('2023-01-15')`)
    await move('drain')
    expect([await dropped(from), await dropped(to)]).toEqual([['202402 held'], ['202301 held']])
    await move('copy')
    expect([await dropped(from), await dropped(to)]).toEqual([['202402 held'], ['202301 held']])
    await move('verify')
    await move('switch')
    expect([await dropped(from), await dropped(to)]).toEqual([['202402 dropped'], ['202301 dropped']])
    expect(await dropped(to)).toEqual(['202402 dropped'])
  })
})

interface Rollup {
  readonly table: string
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

const rollups: readonly Rollup[] = [
  {
    table: 'charge_rollups',
    keys: ['rail', 'currency'],
    values: ['opened', 'succeeded', 'failed', 'duplicate', 'waiting', 'amount'],
  },
  { table: 'charge_duration_rollups', keys: ['rail', 'k'], values: ['n'] },
  { table: 'charge_decline_rollups', keys: ['rail', 'code'], values: ['n'] },
  { table: 'intent_rollups', keys: [], values: ['created', 'sent', 'approved'] },
  { table: 'intent_rail_rollups', keys: ['rail'], values: ['created', 'sent', 'approved'] },
]

/** The counts of all merchants as they are stored, or the sums of what each merchant has. */
async function countsOf({ owner }: World, of: 'all' | 'each') {
  const counts: unknown[] = []
  for (const { table, keys, values } of rollups) {
    const columns = sql.join(['size_min', 'bucket', ...keys].map((key) => sql.ref(key)))
    const sums = sql.join(values.map((value) => sql`sum(${sql.ref(value)})::text`))
    const { rows } = await sql<{ counts: unknown }>`
      select jsonb_build_array(${table}::text, ${columns}, ${sums}) as counts from ${sql.table(table)}
      where (merchant_id = '*') = ${of === 'all'}::boolean group by ${columns} order by 1`.execute(
      owner.writer,
    )
    counts.push(...rows.map((row) => row.counts))
  }
  return counts
}

async function rollUpAll(world: World): Promise<void> {
  while ((await rollUp(world)).full);
}

describe('the counts of all merchants are the sums of those in the cell', () => {
  const other = 'other' as typeof ACME

  /** In both cells another merchant pays in the same five minutes. */
  beforeEach(async () => {
    to.nowMs = from.nowMs
    for (const world of [from, to])
      await createIntent(world, { ...claimOf(), merchantId: other }, wantedIntent)
    await liveWhole(from)
    to.nowMs = from.nowMs
    for (const world of [from, to]) await rollUpAll(world)
  })

  const merchantsOf = async ({ owner }: World) =>
    (
      await sql<{ merchant_id: string }>`
        select distinct merchant_id from intent_rollups where merchant_id <> '*' order by 1`.execute(
        owner.writer,
      )
    ).rows.map(({ merchant_id }) => merchant_id)

  test('after a move, in the cell that the merchant comes to, and in the one that forgets it', async () => {
    expect(await merchantsOf(from)).toEqual([ACME, other])
    expect(await countsOf(from, 'all')).toEqual(await countsOf(from, 'each'))
    const before = await countsOf(to, 'all')

    await move('run')
    expect(await merchantsOf(to)).toEqual([ACME, other])
    expect(await countsOf(to, 'all')).toEqual(await countsOf(to, 'each'))
    expect(await countsOf(to, 'all')).not.toEqual(before)

    await move('forget', '--after-hours', '0')
    expect(await merchantsOf(from)).toEqual([other])
    expect(await countsOf(from, 'all')).toEqual(await countsOf(from, 'each'))
  })

  test('after a copy that the worker has counted was abandoned', async () => {
    const before = await countsOf(to, 'all')
    await move('drain')
    await move('copy')
    await rollUpAll(to)
    expect(await countsOf(to, 'all')).not.toEqual(before)
    await move('abandon')
    expect(await merchantsOf(to)).toEqual([other])
    expect(await countsOf(to, 'all')).toEqual(before)
  })
})
