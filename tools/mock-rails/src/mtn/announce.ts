import type { Callbacks } from '../callbacks.ts'
import type { SettingsStore } from '../settings.ts'
import { renderPayment } from './payment.ts'
import type { Party, Payment } from './payment.ts'

type Deps = { readonly settings: SettingsStore; readonly callbacks: Callbacks }

const GARBAGE = '<xml>this is not the JSON you are looking for'

/** Sends the callback of a final payment as its scenario and the settings require. */
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

/** Sends a forged success while the payment is pending, as an attacker who guessed the URL could. */
export function announceForged(deps: Deps, payment: Payment, party: Party): void {
  const settings = deps.settings.mtn()
  if (settings.callbacks !== 'forged_success') return
  const forged = { ...payment, state: 'SUCCESSFUL' as const, financialTransactionId: '1' }
  const body = JSON.stringify(renderPayment(forged, party, settings))
  void deps.callbacks.send(payment, settings.callbackMethod, body)
}
