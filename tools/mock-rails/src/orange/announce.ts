import type { Callbacks } from '../callbacks.ts'
import type { SettingsStore } from '../settings.ts'
import { renderNotification } from './payment.ts'
import type { OrangePayment } from './payment.ts'

type Deps = { readonly settings: SettingsStore; readonly callbacks: Callbacks }

const GARBAGE = '<xml>this is not the JSON you are looking for'

/** Sends the notification of a decided payment as its scenario and the settings require. */
export async function announceDecision(deps: Deps, payment: OrangePayment): Promise<void> {
  const mode = deps.settings.orange().notifications
  const body = JSON.stringify(renderNotification(payment))
  if (mode === 'off') return deps.callbacks.suppress(payment, 'POST', body)
  if (mode === 'garbage') return deps.callbacks.send(payment, 'POST', GARBAGE)
  const count = mode === 'duplicate' ? 2 : (payment.scenario.notificationCount ?? 1)
  await Promise.all(Array.from({ length: count }, () => deps.callbacks.send(payment, 'POST', body)))
}

/** The worst forgery: it has the notif_token, and announces a success while the payment is INITIATED. */
export function announceForged(deps: Deps, payment: OrangePayment): void {
  if (deps.settings.orange().notifications !== 'forged_success') return
  const forged = { ...payment, state: 'SUCCESS' as const, txnid: 'MP000000.0000.A00000' }
  void deps.callbacks.send(payment, 'POST', JSON.stringify(renderNotification(forged)))
}
