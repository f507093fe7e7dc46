import type { Callbacks } from '../callbacks.ts'
import type { SettingsStore } from '../settings.ts'
import { renderPayment } from './payment.ts'
import type { Party, Payment } from './payment.ts'

type Deps = { readonly settings: SettingsStore; readonly callbacks: Callbacks }

const GARBAGE = '<xml>this is not the JSON you are looking for'

/** The callback of a payment that has become final, in the manner that scenario and settings ask for. */
export async function announceFinal(deps: Deps, payment: Payment, party: Party): Promise<void> {
  const settings = deps.settings.mtn()
  const body = JSON.stringify(renderPayment(payment, party, settings))
  const { callbackMethod: method, callbacks: mode } = settings
  if (mode === 'off') return deps.callbacks.suppress(payment, method, body)
  if (mode === 'garbage') return deps.callbacks.send(payment, method, GARBAGE)
  if (mode === 'wrong_method') return deps.callbacks.send(payment, 'PATCH', body)
  const count = mode === 'duplicate' ? 2 : (payment.scenario.callbackCount ?? 1)
  await Promise.all(Array.from({ length: count }, () => deps.callbacks.send(payment, method, body)))
}

/** Somebody who guessed the callback URL: a success announced while the payment is pending. */
export function announceForged(deps: Deps, payment: Payment, party: Party): void {
  const settings = deps.settings.mtn()
  if (settings.callbacks !== 'forged_success') return
  const forged = { ...payment, state: 'SUCCESSFUL' as const, financialTransactionId: '1' }
  const body = JSON.stringify(renderPayment(forged, party, settings))
  void deps.callbacks.send(payment, settings.callbackMethod, body)
}
