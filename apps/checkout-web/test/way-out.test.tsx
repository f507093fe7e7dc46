import { screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { words } from '../src/words/index.ts'
import { maskedNumber } from '@merchant-payments/payer-client/form/words/masked-number'
import { button, heading, openPage, pageText, pass, plain, press, status, usePage, write } from './page.ts'
import { atOrange, mtn, orange, paid, refused, sessionOf, START_MS, waiting } from './wire.ts'

const api = usePage()

const amounts = { fr: '12 500 FCFA', en: '12,500 FCFA' }
const IN_A_MINUTE = START_MS / 1_000 + 60
const number = () => screen.getByRole<HTMLInputElement>('textbox').value
const isOpen = (name: string) => button(name).getAttribute('aria-expanded')

describe.each(['fr', 'en'] as const)('out of a payment under way, in %s', (language) => {
  const say = words[language]
  const payFrom = async (msisdn: string): Promise<void> => {
    write(msisdn)
    await press(say.pay(amounts[language]))
  }

  test('a wrong number: the page says when it may be corrected, and opens the form by itself', async () => {
    api.confirms = [waiting()]
    await openPage({ language })
    await payFrom('670123427')
    expect(isOpen(say.wrongNumber)).toBe('false')
    await press(say.wrongNumber)
    expect(isOpen(say.wrongNumber)).toBe('true')
    expect(pageText()).toContain(say.wishWarning)
    expect(pageText()).toContain(plain(say.requestStaysAt(maskedNumber('670123427'))))
    expect(pageText()).toContain(say.goesOnAt('12:05', 5, 0))
    await pass(30)
    expect(pageText()).toContain(say.goesOnAt('12:05', 4, 30))
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(api.confirmCalls()).toHaveLength(1)

    api.change(refused('payer_declined'))
    await pass(11)
    expect(heading()).toBe(say.payTitle)
    expect(status()).toBe(say.freeAgain)
    expect(number()).toBe('')
    await payFrom('670123428')
    expect(heading()).toBe(say.approveTitle)
    expect(api.confirmCalls()).toHaveLength(2)
  })

  test('another way: after the page of a rail has expired, the other rail is chosen', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.change({
      ...atOrange(),
      live_charge: { payment_method_type: orange.code, approve_by: IN_A_MINUTE, payer_number: null },
    })
    await openPage({ language })
    await press(say.otherWay)
    expect(screen.queryByRole('button', { name: say.wrongNumber })).toBeNull()
    expect(pageText()).toContain(say.atRailStays('Orange Money'))
    expect(pageText()).toContain(say.refuseAtRail('Orange Money'))
    await pass(61)
    expect(pageText()).toContain(say.goesOnAfterAnswer)
    api.change({ ...refused('redirect_expired', null, orange), next_action: null })
    await pass(11)
    expect(heading()).toBe(say.payTitle)
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'MTN Mobile Money' }).checked).toBe(true)
  })

  test('an operator that answers long after its time: the page still goes on by itself', async () => {
    api.confirms = [waiting(60)]
    await openPage({ language })
    await payFrom('670123427')
    await press(say.wrongNumber)
    await pass(125)
    expect(heading()).toBe(say.pendingTitle)
    expect(pageText()).toContain(say.goesOnAfterAnswer)
    api.change(refused('approval_timeout'))
    await pass(37)
    expect(heading()).toBe(say.payTitle)
  })

  test('the wish survives a reload, also if the request ended meanwhile', async () => {
    api.confirms = [waiting()]
    const page = await openPage({ language })
    await payFrom('670123427')
    await press(say.wrongNumber)
    page.close()
    const again = await openPage({ language })
    expect(isOpen(say.wrongNumber)).toBe('true')
    again.close()
    api.change(refused('approval_timeout'))
    await openPage({ language })
    expect(heading()).toBe(say.payTitle)
    expect(number()).toBe('')
  })

  test('a request that is confirmed after all is paid, and nothing else is sent', async () => {
    api.confirms = [waiting()]
    await openPage({ language })
    await payFrom('670123427')
    await press(say.wrongNumber)
    api.change(paid())
    await pass(6)
    expect(heading()).toBe(say.succeededTitle)
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('a payer who goes on with the request sees why it was declined', async () => {
    api.confirms = [waiting()]
    await openPage({ language })
    await payFrom('670123427')
    await press(say.wrongNumber)
    await press(say.wrongNumber)
    api.change(refused('approval_timeout'))
    await pass(11)
    expect(heading()).toBe(say.declinedTitle)
  })

  test('a decline on one rail offers the other', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [refused('insufficient_funds')]
    await openPage({ language })
    await payFrom('670123427')
    await press(say.otherWay)
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Orange Money' }).checked).toBe(true)
    expect(button(say.payAtRail('Orange Money'))).toBeTruthy()
  })
})
