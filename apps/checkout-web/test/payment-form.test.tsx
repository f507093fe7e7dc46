import { allowInsecureBaseUrl, definePaymentForm } from '@merchant-payments/payer-client/ui'
import { expect, test, vi } from 'vitest'
import { pass, settle, usePage } from './page.ts'
import { envelope } from './payer-api.ts'
import { orange, refused, SECRET, sessionOf, START_MS, waiting } from './wire.ts'

const api = usePage()

/** The form in a merchant's own page. */
async function openForm(): Promise<ShadowRoot> {
  definePaymentForm()
  const form = document.createElement('merchant-payment-form')
  form[allowInsecureBaseUrl] = true
  form.setAttribute('base-url', location.origin)
  form.setAttribute('client-secret', SECRET)
  form.setAttribute('lang', 'en')
  document.body.replaceChildren(form)
  await settle()
  return form.shadowRoot as ShadowRoot
}

test('a payment that the service does not know blames neither a link nor the connection', async () => {
  api.readFault = 404
  const form = await openForm()
  expect(form.querySelector('h2')?.textContent).toBe('We cannot check')
  expect(form.textContent).not.toContain('Check your connection')
  expect(form.querySelector('button')?.textContent).toBe('Try again')
})

test('a service that does not answer lets the payer check the connection', async () => {
  api.readFault = 503
  const form = await openForm()
  expect(form.querySelector('h2')?.textContent).toBe('We cannot check')
  expect(form.textContent).toContain('Check your connection')
})

test('a phone whose clock is set forward does not end the payer’s time', async () => {
  api.change(waiting())
  api.aheadMs = 600_000
  vi.setSystemTime(START_MS - api.aheadMs)
  const form = await openForm()
  await pass(5)
  vi.setSystemTime(Date.now() + api.aheadMs)
  api.aheadMs = 0
  await pass(10)
  expect(form.querySelector('h2')?.textContent).toBe('Confirm on your phone')
  expect(form.textContent).not.toContain('Its time is over')
})

test('a reload while the service does not answer does not deny an order that went out', async () => {
  api.confirms = ['network_error']
  const form = await openForm()
  const input = form.querySelector('input') as HTMLInputElement
  input.value = '670123427'
  input.dispatchEvent(new Event('input', { bubbles: true }))
  form.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  await settle()
  expect(form.querySelector('h2')?.textContent).toBe('We are checking your request')
  api.readFault = 503
  const reloaded = await openForm()
  expect(reloaded.querySelector('h2')?.textContent).toBe('We are checking your request')
  expect(reloaded.textContent).toContain('Do not pay another way')
  expect(reloaded.textContent).not.toContain('No new payment was started')
})

test('a session that has expired after a decline says that a late payment will be shown', async () => {
  api.session = sessionOf({ status: 'expired' })
  api.change(refused('approval_timeout'))
  const form = await openForm()
  expect(form.querySelector('h2')?.textContent).toBe('This payment link has expired')
  expect(form.textContent).toContain('If you confirm on your phone after all, this page will show it.')
})

test('a digit that the payer corrects keeps the caret at its place', async () => {
  const form = await openForm()
  const input = form.querySelector('input') as HTMLInputElement
  const type = (value: string, caret: number): void => {
    input.value = value
    input.setSelectionRange(caret, caret)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  type('670100227', 9)
  type('67010027', 5)
  expect([input.value, input.selectionStart]).toEqual(['67010027', 5])
  type('67010٥027', 6)
  expect([input.value, input.selectionStart]).toEqual(['670105027', 6])
})

test('an order that is refused is told to the developer of the page, with what was wrong in it', async () => {
  const told = vi.spyOn(console, 'error').mockReturnValue()
  api.session = sessionOf({ rails: [orange], ui_mode: 'embedded' })
  api.confirms = [envelope(400, 'parameter_invalid', 'return_url')]
  const form = await openForm()
  form.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  await settle()
  expect(form.querySelector('[role=alert]')?.textContent).toMatch(/\S/)
  expect(told.mock.calls).toEqual([['The service refused the payment: parameter_invalid, return_url']])
})
