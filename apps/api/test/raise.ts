import { type AlertFacts, mintId, recordRaised, uuidOf } from '@merchant-payments/core'
import { instant } from '@merchant-payments/db'
import type { AttentionAlert } from '@merchant-payments/contract'
import type { TestApi } from './harness.ts'

export interface ChargeAlert {
  readonly alert?: AttentionAlert
  readonly facts?: AlertFacts
  readonly lookedAtMs?: number
  readonly times?: number
  readonly merchant?: string
}

/** Raises alerts about a charge, as a statement of the worker does, and makes items of them. */
export async function raiseAlerts(
  api: Pick<TestApi, 'db' | 'clock'>,
  charge: string,
  { alert = 'charge_stuck', facts = {}, lookedAtMs, times = 1, merchant = 'acme' }: ChargeAlert,
): Promise<void> {
  const nowMs = api.clock()
  const row = () => ({
    id: uuidOf(mintId('att', nowMs)),
    merchant_id: merchant,
    alert,
    object: charge,
    facts: { charge, ...facts },
    looked_at: lookedAtMs === undefined ? null : instant(lookedAtMs),
    raised_at: instant(nowMs),
  })
  await api.db.transact((tx) =>
    tx
      .insertInto('raised_alerts')
      .values(Array.from({ length: times }, row))
      .execute(),
  )
  await recordRaised({ ...api, alert: () => undefined })
}
