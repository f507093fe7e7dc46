import { sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const HEX = '0'.repeat(32)

/** A well-formed call of each function, of objects that do not exist. */
const calls: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ops_replay_delivery: { delivery: `wd_${HEX}`, at: '2026-11-23' },
  ops_retry_fanout: { event: `evt_${HEX}`, at: '2026-11-23' },
  ops_wake_charge: { charge: `ch_${HEX}`, at: '2026-11-23' },
  ops_wake_refund: { refund: `re_${HEX}`, at: '2026-11-23' },
  ops_wake_return: { charge_return: `rt_${HEX}`, at: '2026-11-23' },
  ops_resolve_charge: {
    charge: `ch_${HEX}`,
    outcome: 'succeeded',
    reason: 'because',
    operator: 'ada',
    statement: '17677469451',
  },
  ops_withdraw_statement: { charge: `ch_${HEX}`, reason: 'because', operator: 'ada' },
  ops_resolve_payout: { payout: `re_${HEX}`, outcome: 'paid', reason: 'because', operator: 'ada' },
  ops_revoke_signing_key: { key_id: 'no-such-key', reason: 'leaked', operator: 'ada', at: '2026-11-23' },
  ops_was_number: { entry: `au_${HEX}`, number: '237670000001' },
}

/** Parts of the functions above, which operators do not call. */
const helpers = ['ops_require_time', 'ops_uuid']

/** Arguments that may be absent. */
const optional = new Set([
  'ops_resolve_charge.statement',
  'ops_resolve_charge.operator',
  'ops_withdraw_statement.operator',
  'ops_resolve_payout.operator',
])

/** An argument may have another word in the message. */
const wordOf: Readonly<Record<string, string>> = { number: 'a number has twelve digits' }

async function refusalOf(name: string, given: Readonly<Record<string, string | null>>): Promise<string> {
  const values = sql.join(Object.entries(given).map(([key, value]) => sql`${sql.ref(key)} => ${value}`))
  return sql`select ${sql.raw(name)}(${values})`.execute(world.db.writer).then(
    () => 'none',
    (error: unknown) => `${sqlState(error)} ${(error as Error).message}`,
  )
}

test('each function of operators is here', async () => {
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc where proname like 'ops\_%' order by 1`.execute(world.owner.writer)
  expect(rows.map(({ name }) => name)).toEqual([...Object.keys(calls), ...helpers].toSorted())
})

const argumentsOf = Object.entries(calls).flatMap(([name, given]) =>
  Object.keys(given).map((argument) => [name, argument] as const),
)

describe('a function of operators', () => {
  test.each(Object.entries(calls))('%s says that the object does not exist', async (name, given) => {
    expect(await refusalOf(name, given)).toMatch(/^P0002 (?:no .* has the|there is no) /)
  })

  test.each(argumentsOf.filter(([name, argument]) => !optional.has(`${name}.${argument}`)))(
    '%s refuses no %s in words that name it',
    async (name, argument) => {
      const refusal = await refusalOf(name, { ...calls[name], [argument]: null })
      expect(refusal).toMatch(/^(?:23514|22023) /)
      expect(refusal.slice('23514 '.length)).toMatch(new RegExp(`^${wordOf[argument] ?? `${argument} `}`))
    },
  )

  test.each(argumentsOf.filter(([, argument]) => !['at', 'reason', 'operator', 'key_id'].includes(argument)))(
    '%s refuses an invalid %s in words that name it',
    async (name, argument) => {
      const refusal = await refusalOf(name, { ...calls[name], [argument]: '!' })
      expect(refusal).toMatch(/^(?:23514|22023) /)
      expect(refusal.slice('23514 '.length)).toMatch(new RegExp(`^${wordOf[argument] ?? `${argument} `}`))
    },
  )
})
