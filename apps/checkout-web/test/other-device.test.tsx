import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { later } from '../src/load-later.ts'
import { heading, openPage, pass, press, settle, usePage, write } from './page.ts'
import { envelope } from './payer-api.ts'
import { refused, START_MS, waiting } from './wire.ts'

const api = usePage()

const pay = async (): Promise<void> => {
  write('670123427')
  await press('Pay 12,500 FCFA')
}

const mayTryAgain = 'Your request does not seem to have gone out. You can try again: you will not pay twice.'

test('the payment can be made here once another device’s charge has ended, without reaching the rail', async () => {
  api.confirms = [envelope(409, 'charge_in_progress'), waiting()]
  await openPage()
  api.onConfirm = () => api.change({ live_charge: waiting().live_charge ?? null })
  await pay()
  expect(heading()).toBe('Confirm on your phone')
  api.onConfirm = () => undefined
  api.change({ live_charge: null })
  await pass(12)
  expect(screen.getByRole('alert').textContent).toBe(mayTryAgain)
  await pay()
  await pass(1)
  expect(heading()).toBe('Confirm on your phone')
})

test('the payment can be made here once another device’s charge was declined as the one before', async () => {
  api.change(refused('payer_not_found'))
  api.confirms = [envelope(409, 'charge_in_progress'), waiting()]
  await openPage()
  await press('Try again')
  await pay()
  await pass(3)
  expect(screen.getByRole('alert').textContent).toBe(mayTryAgain)
})

test('a phone that slept while the client was fetched sends no order an hour after the press', async () => {
  const script = await later.load()
  let arrive = (): void => {}
  const arrives = new Promise<typeof script>((resolve) => {
    arrive = () => resolve(script)
  })
  vi.spyOn(later, 'load').mockReturnValue(arrives)
  api.confirms = [waiting()]
  await openPage()
  await pay()
  // A sleeping phone stops its timers and not its clock.
  vi.setSystemTime(START_MS + 3_600_000)
  arrive()
  await settle()
  expect(api.confirmCalls()).toEqual([])
})
