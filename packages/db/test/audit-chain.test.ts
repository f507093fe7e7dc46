import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AuditHead, migrate, verifyAuditChain } from '../src/index.ts'
import { migrateUpTo } from './migrate-up-to.ts'

/** Each test alters a log of its own. */
async function openLog(entries = 0) {
  const database = await cloneDatabase()
  const [owner, app] = await Promise.all([connect(database.url), connect(database.appUrl)])
  onTestFinished(async () => {
    await Promise.all([owner.end(), app.end()])
    await database.drop()
  })
  for (let n = 1; n <= entries; n += 1) await write(app, idOf(n))
  const verify = async (...noted: AuditHead[]) => {
    const verdict = await verifyAuditChain(database.url, noted)
    return verdict.intact ? `${verdict.head.position}` : verdict.fault
  }
  const head = async (position: number): Promise<AuditHead> => {
    const { rows } = await owner.query<{ hash: Buffer }>('select hash from audit_chain where position = $1', [
      position,
    ])
    return { position, hash: rows[0]?.hash.toString('hex') ?? '' }
  }
  /** Bypasses every trigger, as a superuser can. */
  const spoil = (statements: string) =>
    owner.query(`set session_replication_role = replica; ${statements}; reset session_replication_role`)
  return { database, owner, app, verify, head, spoil }
}

const idOf = (n: number) => `01a1fd77-072f-77d0-9897-${String(n).padStart(12, '0')}`
const wireIdOf = (n: number) => `au_${idOf(n).replaceAll('-', '')}`

const write = (client: pg.Client, id: string) =>
  client.query(
    `insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target, merchant_id, reason, before,
      after, request_id, idempotency_key, fingerprint)
    values ($1::text::uuid, 'omar', 'Zoé', 'operator', 'fanout.retry', 'evt_1', 'acme', 'Une "raison"\n à 5 €.', $2,
      '{"b": null, "a": 1.50, "é": true}', 'req_1', $1, $3)`,
    [id, { status: null }, Buffer.from([0, 255])],
  )

describe('a log as it was written', () => {
  test('is intact, also before its first entry', async () => {
    const { verify } = await openLog()
    expect(await verify()).toBe('0')
  })

  test('is intact whoever wrote it at the same time, and however many entries of one transaction', async () => {
    const { database, verify, owner } = await openLog(1)
    await owner.query('begin')
    await write(owner, idOf(2))
    await write(owner, idOf(3))
    const writers = await Promise.all(Array.from({ length: 10 }, () => connect(database.appUrl)))
    const written = writers.map(async (writer, n) => {
      await writer.query('begin')
      await write(writer, idOf(n + 10))
      await writer.query(n % 3 === 0 ? 'rollback' : 'commit')
      await writer.end()
    })
    await owner.query('commit')
    await Promise.all(written)
    expect(await verify()).toBe('9')
  })

  test('is intact in whatever zone and form the writer’s session is', async () => {
    const { app, owner, verify } = await openLog(1)
    await owner.query('alter table audit_entries add column seen_at timestamptz')
    await app.query(`set timezone = 'Africa/Douala'; set bytea_output = 'escape'; set datestyle = 'German'`)
    await write(app, idOf(2))
    await app.query(`insert into audit_entries select '${idOf(3)}', actor_subject, actor_name, actor_role, action, target,
      merchant_id, reason, before, after, request_id, 'third', fingerprint, now() from audit_entries limit 1`)
    expect(await verify()).toBe('3')
  })

  test('is intact where a later migration adds a column, which is covered from then on', async () => {
    const { owner, app, verify, spoil } = await openLog(2)
    await owner.query('alter table audit_entries add column approved_by text')
    await app.query(`insert into audit_entries select '${idOf(3)}', actor_subject, actor_name, actor_role, action, target,
      merchant_id, reason, before, after, request_id, 'third', fingerprint, 'ada' from audit_entries limit 1`)
    expect(await verify()).toBe('3')
    await spoil(`update audit_entries set approved_by = 'omar' where id = '${idOf(3)}'`)
    expect(await verify()).toBe(`the entry ${wireIdOf(3)} at position 3 was altered or inserted later`)
  })

  test('is intact over what was written before there was a chain', async () => {
    const { database, owner, app, verify } = await openLog()
    await owner.query('drop schema public cascade; create schema public')
    await migrateUpTo(owner, 19)
    for (const n of [2, 1, 3]) await write(owner, idOf(n))
    await migrate(database.url)
    expect(await verify()).toBe('3')
    const { rows } = await owner.query('select entry_id as id from audit_chain order by position')
    expect(rows).toEqual([1, 2, 3].map((n) => ({ id: idOf(n) })))
    await write(app, idOf(4))
    expect(await verify()).toBe('4')
  })

  test('does not deadlock writers who also wait for each other’s rows', async () => {
    const { app, owner, verify } = await openLog()
    await owner.query(`insert into leases (name, holder, lease_until) values ('x', gen_random_uuid(), now())`)
    await Promise.all([app.query('begin'), owner.query('begin')])
    await write(app, idOf(1))
    await owner.query('select from leases for update')
    const waiting = app.query('select from leases for update')
    await write(owner, idOf(2))
    await owner.query('commit')
    await waiting
    await app.query('commit')
    expect(await verify()).toBe('2')
  })
})

describe('what is found', () => {
  const altered = (n: number) => `the entry ${wireIdOf(n)} at position ${n} was altered or inserted later`

  test('an entry that was altered, whichever column', async () => {
    const { owner, verify, spoil } = await openLog(3)
    const { rows } = await owner.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
        where attrelid = 'audit_entries'::regclass and attnum > 0 and not attisdropped and attname <> 'id'`,
    )
    const others: Record<string, string> = {
      text: `'another'`,
      jsonb: `'{"status": "another"}'`,
      bytea: `'another'`,
    }
    expect(rows.length).toBeGreaterThan(11)
    for (const { name, type } of rows) {
      const other = name === 'actor_role' ? `'admin'` : others[type]
      await owner.query(
        `create table as_it_was as select ${name} as value from audit_entries where id = '${idOf(2)}'`,
      )
      await spoil(`update audit_entries set ${name} = ${other} where id = '${idOf(2)}'`)
      expect([name, await verify()]).toEqual([name, altered(2)])
      await spoil(`update audit_entries set ${name} = value from as_it_was where id = '${idOf(2)}'`)
      await owner.query('drop table as_it_was')
    }
    expect(await verify()).toBe('3')
  })

  test('a null within what an entry says', async () => {
    const { verify, spoil } = await openLog(1)
    await spoil(`update audit_entries set before = '{}'`)
    expect(await verify()).toBe(altered(1))
  })

  test('an entry that was removed, alone or with its link', async () => {
    const { verify, spoil } = await openLog(3)
    await spoil(`delete from audit_entries where id = '${idOf(2)}'`)
    expect(await verify()).toBe(`the entry ${wireIdOf(2)} at position 2 was removed`)
    await spoil('delete from audit_chain where position = 2')
    expect(await verify()).toBe('position 2 is missing: the chain continues at 3')
  })

  test('the first entry, removed without a gap behind it', async () => {
    const { verify, spoil } = await openLog(2)
    await spoil(`delete from audit_chain where position = 1; delete from audit_entries where id = '${idOf(1)}';
      update audit_chain set position = 1`)
    expect(await verify()).toBe(`the entry ${wireIdOf(2)} at position 1 does not follow the previous one`)
  })

  test('entries in another order', async () => {
    const { verify, spoil } = await openLog(4)
    await spoil(`update audit_chain set entry_id = gen_random_uuid() where position = 3;
      update audit_chain set entry_id = '${idOf(3)}' where position = 2;
      update audit_chain set entry_id = '${idOf(2)}' where position = 3`)
    expect(await verify()).toBe(`the entry ${wireIdOf(3)} at position 2 was altered or inserted later`)
  })

  test('an entry that was slipped in', async () => {
    const { owner, verify } = await openLog(2)
    await owner.query('set session_replication_role = replica')
    await write(owner, idOf(3))
    expect(await verify()).toBe(`the entry ${wireIdOf(3)} has no position in the chain`)
  })

  test('a tail that was cut off: by the stored head or, if that was set back too, by a head that was noted outside', async () => {
    const { verify, head, spoil } = await openLog(4)
    const [second, last] = [await head(2), await head(4)]
    await spoil(
      `delete from audit_chain where position > 2; delete from audit_entries where id > '${idOf(2)}'`,
    )
    expect(await verify()).toBe('the chain ends at 2, and 4 is its head: its tail was cut off')
    await spoil(
      `update audit_head set (position, hash) = (select position, hash from audit_chain where position = 2)`,
    )
    expect(await verify(second)).toBe('2')
    expect(await verify(second, last)).toBe('the chain ends at 2, and 4 was noted: its tail was cut off')
  })

  test('a head that is gone, or is another', async () => {
    const { verify, spoil } = await openLog(1)
    await spoil(`update audit_head set hash = decode(repeat('ab', 32), 'hex')`)
    expect(await verify()).toBe('the chain ends at 1, which differs from its head')
    await spoil('delete from audit_head')
    expect(await verify()).toBe('the head of the chain was removed')
  })

  test('a chain that was rewritten, by a head that was noted outside', async () => {
    const { owner, verify, head, spoil } = await openLog(3)
    const noted = await head(2)
    await spoil(`delete from audit_chain; update audit_head set position = 0, hash = decode(repeat('00', 32), 'hex');
      update audit_entries set reason = 'Another.' where id = '${idOf(1)}'`)
    await owner.query(
      'do $$ declare e audit_entries; begin for e in select * from audit_entries order by id loop perform append_to_audit_chain(e); end loop; end $$',
    )
    expect(await verify()).toBe('3')
    expect(await verify(noted)).toBe('the hash at position 2 differs from the noted one')
    expect(await verify(noted, await head(2))).toBe('the hash at position 2 differs from the noted one')
  })

  test('an altered entry, also where the functions of the database were changed to hide it', async () => {
    const { owner, verify, spoil } = await openLog(1)
    await spoil(`update audit_entries set reason = 'Another.'`)
    await owner.query(
      `create function public.sha256(bytea) returns bytea language sql as 'select hash from audit_chain'`,
    )
    expect(await verify()).toBe(altered(1))
  })
})
