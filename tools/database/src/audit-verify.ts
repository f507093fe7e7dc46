import { verifyAuditChain } from '@merchant-payments/db'
import { runCheck } from './command.ts'

const USAGE = `Usage: DATABASE_URL=<url> audit:verify [--head <position>:<hash>]...
  --head  a head that was noted outside of the database: by an earlier run, or by a log line "audit entry"`

await runCheck(USAGE, async (url, noted) => {
  const verdict = await verifyAuditChain(url, noted)
  if (!verdict.intact) return { faults: [verdict.fault], lines: [] }
  const { position, hash } = verdict.head
  return { faults: [], lines: [`OK: ${position} entries, head ${position}:${hash}`] }
})
