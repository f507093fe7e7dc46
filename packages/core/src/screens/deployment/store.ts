import { instant, type Reader, type Tx } from '@merchant-payments/db'

export interface Disabling {
  readonly clientId: string
  readonly reason: string
  readonly disabledAtMs: number
}

export async function listDisabled(reader: Reader): Promise<readonly Disabling[]> {
  const rows = await reader
    .selectFrom('disabled_clients')
    .select(['client_id', 'reason', 'disabled_at'])
    .orderBy('client_id')
    .execute()
  return rows.map(({ client_id, reason, disabled_at }) => ({
    clientId: client_id,
    reason,
    disabledAtMs: disabled_at,
  }))
}

export async function isDisabled(reader: Reader, clientId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('disabled_clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row !== undefined
}

export async function disable(tx: Tx, clientId: string, reason: string, nowMs: number): Promise<boolean> {
  const row = await tx
    .insertInto('disabled_clients')
    .values({ client_id: clientId, reason, disabled_at: instant(nowMs) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('client_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function enable(tx: Tx, clientId: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('disabled_clients')
    .where('client_id', '=', clientId)
    .returning('client_id')
    .executeTakeFirst()
  return row !== undefined
}
