import { type Deps, INSTRUCT_BATCH_MAX, instructRefunds, type InstructReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Looks after refunds that their rail has neither taken nor refused (spec 4.5.1). */
export async function instructDueRefunds(
  deps: Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>,
): Promise<InstructReport & PassReport> {
  const report = await instructRefunds(deps)
  return { ...report, full: report.claimed >= INSTRUCT_BATCH_MAX }
}
