import { ACCOUNT_HOLDER_SCENARIOS } from '../mtn/account-holder.ts'
import { CHARGE_SCENARIOS, TRANSFER_SCENARIOS } from '../mtn/scenarios.ts'
import { ORANGE_SCENARIOS } from '../orange/scenarios.ts'
import type { ScenarioRow } from './control.ts'

type Summary = { readonly suffix: string; readonly summary: string }

/** The scenario table for people: one row per ending, the default last. */
export function scenarioRows(): ScenarioRow[] {
  const scenarios = [...CHARGE_SCENARIOS, ...TRANSFER_SCENARIOS, ...ORANGE_SCENARIOS]
  const suffixes = new Set(scenarios.map((row) => row.suffix))
  return [...suffixes]
    .map((suffix) => ({
      suffix,
      charge: summaryOf(CHARGE_SCENARIOS, suffix),
      transfer: summaryOf(TRANSFER_SCENARIOS, suffix),
      accountHolder: summaryOf(ACCOUNT_HOLDER_SCENARIOS, suffix),
      orange: summaryOf(ORANGE_SCENARIOS, suffix),
    }))
    .sort((a, b) => (a.suffix < b.suffix ? -1 : 1))
}

function summaryOf(rows: readonly Summary[], suffix: string): string | null {
  return rows.find((row) => row.suffix === suffix)?.summary ?? null
}
