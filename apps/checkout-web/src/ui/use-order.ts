import { useState } from 'react'
import type { Order } from '@merchant-payments/payer-client/form/attempt'
import type { Facts } from '@merchant-payments/payer-client/form/facts'
import {
  checked,
  firstDraft,
  type NumberProblem,
  type OrderView,
  viewOf,
  withNumber,
} from '@merchant-payments/payer-client/form/order-input'
import type { RailOffer } from '@merchant-payments/payer-client/form/types'

/** The payer's input: the number, and the rail that it proposes or that the payer chose. */
export interface OrderInput extends OrderView {
  readonly number: string
  readonly write: (number: string) => void
  readonly choose: (code: string) => void
  readonly fault: NumberProblem | null
  /** Checks the input. The order to send, or null after a fault that the payer sees. */
  readonly check: () => Order | null
}

export function useOrder(
  rails: readonly RailOffer[],
  facts: Facts,
  onWrite: (number: string) => void,
): OrderInput {
  const [draft, setDraft] = useState(() => firstDraft(rails, facts))
  return {
    ...viewOf(rails, draft),
    number: draft.number,
    fault: draft.fault,
    write: (number) => {
      setDraft(withNumber(rails, draft, number))
      onWrite(number)
    },
    choose: (chosen) => setDraft({ ...draft, chosen }),
    check: () => {
      const found = checked(rails, draft)
      setDraft(found.draft)
      return found.order
    },
  }
}
