import { parseArgs } from 'node:util'
import type { AuditHead } from '@merchant-payments/db'

/** The exit codes: the database has a fault, and it could not be checked. */
const EXIT_FAULT = 1
const EXIT_NOT_VERIFIED = 2

interface Verdict {
  readonly faults: readonly string[]
  /** Printed if there is no fault. */
  readonly lines: readonly string[]
}

/**
 * Runs a command that checks the database of `DATABASE_URL` and takes heads of the audit log: `--head
 * <position>:<hash>`, any number of times. Prints its verdict and sets the exit code.
 */
export async function runCheck(
  usage: string,
  check: (url: string, noted: readonly AuditHead[]) => Promise<Verdict>,
): Promise<void> {
  try {
    const noted = parseHeads(usage)
    const url = process.env['DATABASE_URL']
    if (!url) throw new Error(usage)
    const { faults, lines } = await check(url, noted)
    for (const fault of faults) console.log(`FAULT: ${fault}`)
    if (faults.length === 0) for (const line of lines) console.log(line)
    process.exitCode = faults.length === 0 ? 0 : EXIT_FAULT
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = EXIT_NOT_VERIFIED
  }
}

function parseHeads(usage: string): AuditHead[] {
  const { values } = parseArgs({ options: { head: { type: 'string', multiple: true, default: [] } } })
  return values.head.map((text) => {
    const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
    if (position === undefined || hash === undefined) throw new Error(usage)
    return { position: Number(position), hash }
  })
}
