import { inkOn } from '@merchant-payments/payer-client/form/ink'
import type { RailOffer } from '@merchant-payments/payer-client/form/types'

/** The operator's initial on its color, beside its name. */
export function RailMark({ rail: { color, name } }: { readonly rail: RailOffer }) {
  if (color === null) return null
  return (
    <span className="rail-mark" aria-hidden="true" style={{ background: color, color: inkOn(color) }}>
      {Array.from(name.fr)[0]}
    </span>
  )
}
