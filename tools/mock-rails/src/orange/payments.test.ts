import { expect, test } from 'vitest'
import { createMockClock } from '../clock.ts'
import { createSchedule } from '../schedule.ts'
import { createSettings } from '../settings.ts'
import { createOrangePayments } from './payments.ts'

test('a success never changes again, so money moves once', async () => {
  const clock = createMockClock(() => 0)
  const schedule = createSchedule(clock.now)
  const moved: string[] = []
  const payments = createOrangePayments({
    clock,
    schedule,
    settings: createSettings({}),
    nextTransactionId: () => 'MP150709.1341.A00073',
    onMoved: (payment) => moved.push(payment.reference),
    onDecided: async () => {},
  })
  const payment = payments.open(
    {
      reference: 'order-1',
      externalId: 'Shop',
      environment: 'cm',
      amount: '1000',
      currency: 'XAF',
      lang: 'fr',
      returnUrl: 'http://127.0.0.1:9/',
      cancelUrl: 'http://127.0.0.1:9/',
      callbackUrl: 'http://127.0.0.1:9/',
      origin: 'http://127.0.0.1:9',
    },
    undefined,
  )
  await payments.settle(payment, { state: 'SUCCESS' })
  await payments.settle(payment, { state: 'SUCCESS' })
  await payments.settle(payment, { state: 'FAILED', reason: 'WRONG_OTP' })
  await payments.settle(payment, { state: 'EXPIRED' })
  expect(payment).toMatchObject({ state: 'SUCCESS', reason: null })
  expect(moved).toEqual(['order-1'])
  schedule.clear()
})
