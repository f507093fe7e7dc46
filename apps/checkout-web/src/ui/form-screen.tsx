import type { FormEvent } from 'react'
import type { Checkout } from '@merchant-payments/payer-client/form/checkout'
import type { Facts } from '@merchant-payments/payer-client/form/facts'
import {
  asksForNumber,
  buttonText,
  faultText,
  noticeText,
  numberHint,
  numberLabel,
  safetyNote,
} from '@merchant-payments/payer-client/form/form-texts'
import type { BrowserSession } from '@merchant-payments/payer-client/form/types'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'
import { NumberField } from './number-field.tsx'
import { PhoneLink } from './phone-link.tsx'
import { RailChoice } from './rail-choice.tsx'
import { ShopLink } from './shop-link.tsx'
import { useOrder } from './use-order.ts'

export interface FormScreenProps {
  readonly session: BrowserSession
  readonly facts: Facts
  readonly checkout: Checkout
  readonly locale: Locale
}

export function FormScreen(props: FormScreenProps) {
  const { session, locale } = props
  if (session.rails.length > 0) return <OrderForm {...props} />
  return (
    <>
      <p>{words[locale].noRail(session.merchant.name)}</p>
      <ShopLink session={session} locale={locale} />
    </>
  )
}

function OrderForm({ session, facts, checkout, locale }: FormScreenProps) {
  const { rails } = session
  const { notice, confirm } = facts
  const input = useOrder(rails, facts, checkout.writeNumber)
  const { rail, fault } = input
  const alert = noticeText(notice, session.merchant.name, locale)

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const order = input.check()
    if (order !== null) void checkout.pay(order, locale)
  }

  return (
    <form onSubmit={submit} noValidate>
      {notice === 'free_again' && <p className="wait">{words[locale].freeAgain}</p>}
      {alert !== null && (
        <p role="alert" className="alert">
          {alert}
        </p>
      )}
      {asksForNumber(rails) && (
        <NumberField
          label={numberLabel(rails, locale)}
          hint={numberHint(rail, locale)}
          error={faultText(fault, notice, rails, locale)}
          value={input.number}
          onWrite={input.write}
        />
      )}
      {rails.length > 1 && <RailChoice rails={rails} input={input} locale={locale} />}
      <button type="submit" aria-disabled={confirm === 'sending'}>
        {buttonText(session, rail, confirm, locale)}
      </button>
      {rail !== null && <p className="note safe">{safetyNote(rail, locale)}</p>}
      {confirm !== 'sending' && <ShopLink session={session} locale={locale} />}
      <PhoneLink locale={locale} onShow={checkout.shareLink} />
    </form>
  )
}
