import { verifyAuditChain } from '@merchant-payments/db'
import { parseHeads } from './heads.ts'

const USAGE = `Usage: DATABASE_URL=<url> audit:verify [--head <position>:<hash>]...
  --head  a head that was noted outside of the database: by an earlier run, or by a log line "audit entry"`

/** The exit codes: the log has a fault, and the log could not be checked. */
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
  const verdict = await verifyAuditChain(url, noted)
  if (!verdict.intact) {
    console.log(`FAULT: ${verdict.fault}`)
    return EXIT_FAULT
  }
  const { position, hash } = verdict.head
  console.log(`OK: ${position} entries, head ${position}:${hash}`)
  return 0
}
