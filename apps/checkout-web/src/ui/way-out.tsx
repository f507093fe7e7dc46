import { useId } from 'react'
import type { Checkout } from '@merchant-payments/payer-client/form/checkout'
import type { Facts } from '@merchant-payments/payer-client/form/facts'
import type { BrowserSession, RailOffer } from '@merchant-payments/payer-client/form/types'
import { wayOutTexts, wishesOf } from '@merchant-payments/payer-client/form/way-out-texts'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'

export interface WayOutProps {
  readonly session: BrowserSession
  readonly rail: RailOffer | null
  readonly facts: Facts
  /** Seconds until the rail's window ends. */
  readonly leftSec: number | null
  readonly checkout: Checkout
  readonly locale: Locale
}

/**
 * For a payer who wants another number or another rail. The charge under way cannot be withdrawn (spec 3.1.1),
 * so this says when it ends and how to end it sooner. The form appears by itself afterwards.
 */
export function WayOut({ session, rail, facts, leftSec, checkout, locale }: WayOutProps) {
  const id = useId()
  const { wish } = facts
  return (
    <>
      {wishesOf(session, rail, locale).map(([name, text]) => (
        <button
          key={name}
          type="button"
          className="plain"
          aria-expanded={wish === name}
          aria-controls={id}
          onClick={() => checkout.wish(wish === name ? null : name)}
        >
          {text}
        </button>
      ))}
      <div id={id}>
        {wish !== null && (
          <div className="wait way-out">
            <p className="strong">{words[locale].wishWarning}</p>
            {wayOutTexts(session, rail, facts, leftSec, locale).map((text, place) => (
              // Each text has its place; its seconds change.
              <p key={place}>{text}</p>
            ))}
          </div>
        )}
      </div>
    </>
  )
}
