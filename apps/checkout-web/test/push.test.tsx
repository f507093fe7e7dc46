import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { words } from '../src/words/index.ts'
import {
  button,
  heading,
  openPage,
  pageText,
  pass,
  plain,
  press,
  settle,
  status,
  usePage,
  write,
} from './page.ts'
import { envelope } from './payer-api.ts'
import { atOrange, mtn, orange, paid, paidBeside, refused, SECRET, sessionOf, waiting } from './wire.ts'

const api = usePage()

const payFrom = async (number: string): Promise<void> => {
  write(number)
  await press('Pay 12,500 FCFA')
}

/** The receipt's lines with normalized spaces. */
const receipt = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.receipt dl > div')].map((row) =>
      [...row.children].map(({ textContent }) => textContent.replaceAll(/\s/g, ' ')),
    ),
  ) as Record<string, string>

const keys = () => api.confirmCalls().map(({ headers }) => headers.get('idempotency-key'))

describe('a payment by push', () => {
  test('goes from the form over the wait to the receipt', async () => {
    api.confirms = [waiting()]
    await openPage()
    expect(heading()).toBe('Pay')

    await payFrom('+237 6 70 12 34 27')
    expect(heading()).toBe('Confirm on your phone')
    expect(pageText()).toContain('Request sent to 6 •• •• •• 27.')
    expect(screen.getByText('Confirm before 12:05.')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))

    api.change(paid())
    await pass(2)
    expect(heading()).toBe('Payment successful')
    expect(status()).toBe('Payment successful')
    expect(receipt()).toEqual({
      'Paid to': 'Boutique Akwa',
      Amount: '12,500 FCFA',
      'Paid with': 'MTN Mobile Money',
      'From number': '6 •• •• •• 27',
      'To number': '6 •• •• •• 90',
      'Paid on': '21 November 2026 at 12:03',
      'Transaction no.': '17677469451',
      Reference: '2222 2222',
    })
    expect(screen.getByRole('link', { name: 'Back to Boutique Akwa' }).getAttribute('href')).toBe(
      'https://shop.example/merci',
    )
  })

  test.each(['fr', 'en'] as const)(
    'names the place of its times to a payer whose clock shows others, in %s',
    async (language) => {
      vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-120)
      const say = words[language]
      api.change(waiting())
      await openPage({ language })
      expect(screen.getByText(say.approveBy('12:05 (Douala)'))).toBeTruthy()
      api.change(paid())
      await pass(2)
      expect(receipt()[say.receiptDate]).toMatch(/12:03 \(Douala\)$/)
    },
  )

  test('from another device on another rail shows that on its receipt, without a number', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [refused('payer_declined')]
    await openPage()
    await payFrom('670123427')
    api.change(paid(orange))
    await pass(36)
    expect(receipt()).toMatchObject({ 'Paid with': 'Orange Money', 'Paid on': '21 November 2026 at 12:03' })
  })

  test('sends the number as it was written, and its credentials only in headers', async () => {
    api.confirms = [waiting()]
    await openPage()
    await payFrom('(237) 6-70.12 34 27')

    const [confirm] = api.confirmCalls()
    expect(confirm?.form).toEqual({
      'payment_method_data[mtn_momo_cm][msisdn]': '(237) 6-70.12 34 27',
      locale: 'en',
    })
    for (const { url, headers } of api.calls) {
      expect(headers.get('client-secret')).toBe(SECRET)
      expect(headers.get('publishable-key')).toBe('pk_test_canary')
      expect(headers.has('authorization')).toBe(false)
      expect(url).not.toMatch(/secret|canary|\?/)
    }
  })

  test('a double click sends one request', async () => {
    api.confirms = [waiting()]
    await openPage()
    write('670123427')
    fireEvent.click(button('Pay 12,500 FCFA'))
    fireEvent.click(screen.getByRole('button', { name: /Pay|Sending/ }))
    await settle()
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('an empty number is reported as missing, and nothing is sent', async () => {
    await openPage()
    await payFrom('  ')
    expect(screen.getByRole('alert').textContent).toBe('Enter your mobile money number.')
    expect(screen.getByRole('textbox').getAttribute('aria-invalid')).toBe('true')
    expect(api.confirmCalls()).toEqual([])
  })

  test('a number that the API refuses is reported, and the next one is sent with another key', async () => {
    api.confirms = [envelope(400, 'invalid_request', 'payment_method_data[mtn_momo_cm][msisdn]'), waiting()]
    await openPage()
    await payFrom('12')
    expect(screen.getByRole('alert').textContent).toMatch(/^This number is incomplete/)
    await payFrom('670123427')
    expect(heading()).toBe('Confirm on your phone')
    expect(new Set(keys()).size).toBe(2)
  })
})

describe('while the payer approves', () => {
  test('help appears after twelve seconds, as steps, with a code that can be dialled and copied', async () => {
    api.confirms = [waiting()]
    await openPage()
    await payFrom('670123427')
    await pass(11)
    expect(screen.queryByText('No request on your phone?', { selector: 'h2' })).toBeNull()
    await pass(2)
    expect(screen.getByRole('link', { name: 'Dial *126#' }).getAttribute('href')).toBe('tel:*126%23')
    expect(button('Copy the code')).toBeTruthy()
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(
      words.en.dialSteps('*126#', 'MTN Mobile Money'),
    )
    expect(status()).toBe('No request on your phone?')
  })

  test('a rail without a prompt shows its help at once, in the payer’s language', async () => {
    const [rail] = sessionOf().rails
    const prompt = {
      mode: 'manual',
      window_sec: 300,
      dial: null,
      payee_name: 'AKWA SARL',
      hint: { fr: 'Menu 4', en: 'Menu four' },
    } as const
    api.session = sessionOf({ rails: rail === undefined ? [] : [{ ...rail, prompt }] })
    api.confirms = [waiting()]
    await openPage({ language: 'fr-CM' })
    write('670123427')
    await press('Payer 12 500 FCFA')
    expect(pageText()).toContain('Menu 4')
    expect(pageText()).toContain('La demande est au nom de AKWA SARL.')
  })

  test.each(['fr', 'en'] as const)(
    'an operator’s own steps replace the usual ones, in %s',
    async (language) => {
      const hint = { fr: 'Composez #150#\nChoisissez 4', en: 'Dial #150#\nChoose 4' }
      const prompt = mtn.prompt && { ...mtn.prompt, mode: 'manual' as const, hint }
      api.session = sessionOf({ rails: [{ ...mtn, prompt }] })
      api.change(waiting())
      await openPage({ language })
      expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(
        hint[language].split('\n'),
      )
    },
  )

  test('after a minute the page says not to pay again, and has no control for it', async () => {
    api.confirms = [waiting()]
    await openPage()
    await payFrom('670123427')
    await pass(61)
    expect(status()).toMatch(/^Do not pay again/)
    const before = api.calls.length
    await press('Check now')
    await pass(1)
    expect(api.calls.length).toBe(before + 1)
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('the remaining time is shown near its end, by the API’s clock, and announced twice', async () => {
    api.confirms = [waiting(120)]
    await openPage()
    await payFrom('670123427')
    expect(screen.queryByRole('timer')).toBeNull()
    await pass(61)
    expect(screen.getByRole('timer').textContent).toMatch(/^0 min 5\d s left$/)
    expect(status()).toBe('60 seconds left.')
    await pass(30)
    expect(status()).toBe('30 seconds left.')
    await pass(30)
    expect(screen.queryByRole('timer')).toBeNull()
    expect(screen.getByText(words.en.goesOnAfterAnswer)).toBeTruthy()
    expect(status()).toBe(words.en.slow)
  })

  test('without an answer in time it becomes pending, and continues on request', async () => {
    api.confirms = [waiting(60)]
    await openPage()
    await payFrom('670123427')
    await pass(122)
    expect(heading()).toBe('No answer from the operator yet')
    await press('Go on checking')
    expect(heading()).toBe('Confirm on your phone')
    api.change(paid())
    await pass(3)
    expect(heading()).toBe('Payment successful')
  })

  test('a fresh charge of another device is not pending because the one before was', async () => {
    api.confirms = [waiting(60)]
    await openPage()
    await payFrom('670123427')
    await pass(122)
    expect(heading()).toBe('No answer from the operator yet')
    api.change(waiting(600))
    await pass(10)
    expect(heading()).toBe('Confirm on your phone')
    api.change(paid())
    await pass(5)
    expect(heading()).toBe('Payment successful')
  })

  test('a payer who leaves it pending still sees a late success', async () => {
    api.confirms = [waiting(60)]
    await openPage()
    await payFrom('670123427')
    await pass(125)
    api.change(paid())
    await pass(10)
    expect(heading()).toBe('Payment successful')
  })
})

describe('after a decline', () => {
  test('the same number is kept for another attempt, with another key', async () => {
    api.confirms = [refused('insufficient_funds', 'NOT_ENOUGH_FUNDS <b>'), waiting()]
    await openPage()
    await payFrom('670123427')
    expect(heading()).toBe('The payment did not go through')
    expect(pageText()).toContain('There is not enough money, fees included.')
    expect(screen.getByText('NOT_ENOUGH_FUNDS <b>')).toBeTruthy()

    await press('Use the same number')
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('670123427')
    await press('Pay 12,500 FCFA')
    expect(heading()).toBe('Confirm on your phone')
    expect(new Set(keys()).size).toBe(2)
  })

  test('another number starts from an empty field', async () => {
    api.confirms = [refused('payer_not_found')]
    await openPage()
    await payFrom('670123427')
    await press('Use another number')
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('')
  })

  test('a late success replaces the decline within ten seconds, at any time', async () => {
    api.confirms = [refused('approval_timeout')]
    await openPage()
    await payFrom('670123427')
    await pass(130)
    api.change(paid())
    await pass(10)
    expect(heading()).toBe('Payment successful')
  })

  test('and a new form, a late success is still shown within ten seconds', async () => {
    api.confirms = [refused('approval_timeout')]
    await openPage()
    await payFrom('670123427')
    await press('Use another number')
    api.change(paid())
    await pass(10)
    expect(heading()).toBe('Payment successful')
  })

  test('the operator’s text is folded, and shows no number', async () => {
    api.confirms = [refused('payer_not_found', 'MSISDN 237670123427 not found')]
    await openPage()
    await payFrom('670123427')
    expect(document.querySelector('details')?.open).toBe(false)
    expect(pageText()).toContain('MSISDN 6 •• •• •• 27 not found')
    expect(pageText()).not.toContain('670123427')
  })

  test('the second decline is shown after the first was dismissed, also if it is the same', async () => {
    api.confirms = [refused('payer_declined')]
    await openPage()
    await payFrom('670123427')
    await press('Use the same number')
    await press('Pay 12,500 FCFA')
    expect(heading()).toBe('The payment did not go through')
    expect(api.confirmCalls()).toHaveLength(2)
  })
})

describe.each(['fr', 'en'] as const)('a late success while a second request is open, in %s', (language) => {
  const say = words[language]
  const amount = { fr: '12 500 FCFA', en: '12,500 FCFA' }[language]
  const warning = () => plain(document.querySelector('.wait')?.textContent ?? '')

  test('says not to confirm that request, as long as it is open', async () => {
    api.confirms = [refused('approval_timeout'), waiting()]
    await openPage({ language })
    write('670000480')
    await press(say.pay(amount))
    await press(say.otherNumber)
    write('671234527')
    await press(say.pay(amount))
    expect(heading()).toBe(say.approveTitle)

    api.change(paidBeside())
    await pass(2)
    expect(heading()).toBe(say.succeededTitle)
    const text = say.openRequest(say.atNumber('6 •• •• •• 00'))
    expect([warning(), plain(status())]).toEqual([text, text])
    expect(document.querySelector('.receipt')).not.toBeNull()

    api.change({ live_charge: null })
    await pass(10)
    expect([warning(), status()]).toEqual(['', say.succeededTitle])
    const before = api.calls.length
    await pass(60)
    expect(api.calls.length).toBe(before)
  })

  test('names the phone without a number, and the page of a rail that has one', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.change(paidBeside(waiting(), null))
    const page = await openPage({ language })
    expect(warning()).toBe(say.openRequest(say.atPhone))
    page.close()
    api.change(paidBeside(atOrange()))
    await openPage({ language })
    expect(warning()).toBe(say.openRequest(say.atRailPage('Orange Money')))
  })

  test('no answer undoes the success', async () => {
    api.change(paidBeside())
    await openPage({ language })
    api.change(waiting())
    await pass(20)
    expect(heading()).toBe(say.succeededTitle)
    expect(warning()).toContain('6 •• •• •• 00')
  })
})
