import { type RestoredState, verifyRestore } from '@merchant-payments/db'
import { parseHeads } from './heads.ts'

const USAGE = `Usage: DATABASE_URL=<url> restore:verify [--head <position>:<hash>]...
  --head  a head of the audit log from before the restored time: by an earlier run, or by a log line "audit entry"`

/** The exit codes: the database has a fault, and it could not be checked. */
const EXIT_FAULT = 1
const EXIT_NOT_VERIFIED = 2

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return EXIT_NOT_VERIFIED
})

async function main(): Promise<number> {
  const noted = parseHeads(USAGE)
  const url = process.env['DATABASE_URL']
  if (!url) throw new Error(USAGE)
  const state = await verifyRestore(url, noted)
  for (const line of linesOf(state)) console.log(line)
  return state.faults.length === 0 ? 0 : EXIT_FAULT
}

function linesOf({ faults, audit, ...last }: RestoredState): string[] {
  if (faults.length > 0) return faults.map((fault) => `FAULT: ${fault}`)
  return [
    'OK: the migrations of this release, the audit log and the ledger agree.',
    `Audit log: ${audit?.position ?? 0} entries, head ${audit?.position ?? 0}:${audit?.hash ?? ''}`,
    `Last charge: ${last.lastChargeAt?.toISOString() ?? 'none'}. Last refund: ${last.lastRefundAt?.toISOString() ?? 'none'}.`,
    `The worker will ask about charges: ${last.openCharges}, payouts: ${last.openPayouts}.`,
  ]
}
