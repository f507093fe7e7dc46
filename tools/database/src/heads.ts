import { parseArgs } from 'node:util'
import type { AuditHead } from '@merchant-payments/db'

/** Reads `--head <position>:<hash>`, any number of times. @throws an error with the usage */
export function parseHeads(usage: string): AuditHead[] {
  const { values } = parseArgs({ options: { head: { type: 'string', multiple: true, default: [] } } })
  return values.head.map((text) => {
    const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
    if (position === undefined || hash === undefined) throw new Error(usage)
    return { position: Number(position), hash }
  })
}
