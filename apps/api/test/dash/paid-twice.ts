import type { StaffCharge } from '@merchant-payments/contract'
import { settle, type TestApi } from '../harness.ts'
import { confirmCall, createIntent } from '../steps.ts'
import type { StaffMember } from './staff.ts'

/** A payment that its payer made twice: the first charge succeeded after it had been reported as failed. */
export async function payTwice(
  api: TestApi,
  who: StaffMember,
  more = '',
): Promise<{ intent: string; charge: StaffCharge }> {
  const { id: intent } = await createIntent(api, more)
  await api.call(confirmCall(intent, 'failsThenSucceeds'))
  await settle(api)
  await api.call(confirmCall(intent, 'approves'))
  await settle(api, 2_000)
  const { mtn } = await api.mock.control.getSettings()
  await api.mock.control.advanceClock(mtn.lateSuccessAfterMs)
  await settle(api)
  const { body } = await who.get(`/payment_intents/${intent}`)
  const charges: StaffCharge[] = body.charges
  const charge = charges.find(({ status }) => status === 'duplicate')
  if (charge === undefined) throw new Error('nothing was paid twice')
  return { intent, charge }
}
