/** The screen of an object, or null. Charges, refunds and sessions are on their payment's screen. */
export function placeOf(id: string, paymentId: string | null = null) {
  if (paymentId !== null) return payment(paymentId)
  if (id.startsWith('pi_')) return payment(id)
  if (id.startsWith('wd_')) return { to: '/deliveries/$id', params: { id } } as const
  if (id.startsWith('cus_')) return { to: '/customers/$id', params: { id } } as const
  if (id.startsWith('in_')) return { to: '/invoices/$id', params: { id } } as const
  if (id.startsWith('evt_')) return { to: '/events/$id', params: { id } } as const
  return null
}

const payment = (id: string) => ({ to: '/payments/$id', params: { id } }) as const
