import { type MerchantMove, verifyRestore } from '@merchant-payments/db'
import { runCheck } from './command.ts'

const USAGE = `Usage: DATABASE_URL=<url> restore:verify [--head <position>:<hash>]...
  --head  a head of the audit log from before the restored time: by an earlier run, or by a log line "audit entry"`

await runCheck(USAGE, async (url, noted) => {
  const { faults, audit, moves, unheld, ...last } = await verifyRestore(url, noted)
  const position = audit?.position ?? 0
  return {
    faults,
    lines: [
      'OK: the migrations of this release, the audit log and the ledger agree.',
      `Audit log: ${position} entries, head ${position}:${audit?.hash ?? ''}`,
      `Last charge: ${last.lastChargeAt?.toISOString() ?? 'none'}. Last refund: ${last.lastRefundAt?.toISOString() ?? 'none'}.`,
      `The worker will ask about charges: ${last.openCharges}, payouts: ${last.openPayouts}.`,
      ...(unheld.charges + unheld.payouts === 0
        ? []
        : [`To hold with "restore:hold": charges: ${unheld.charges}, payouts: ${unheld.payouts}.`]),
      ...(moves.length === 0 ? [] : [`Moves: ${moves.map(wordsOf).join('; ')}.`]),
    ],
  }
})

function wordsOf({ merchantId, state, otherCell }: MerchantMove): string {
  switch (state) {
    case 'draining':
    case 'frozen':
      return `${merchantId} is ${state}, for ${otherCell}`
    case 'left':
      return `${merchantId} has left for ${otherCell}`
    case 'arriving':
      return `${merchantId} is arriving from ${otherCell}`
  }
}
