import {
  atOrange,
  mtn,
  orange,
  paid,
  paidBeside,
  refused,
  START_MS,
  waiting,
} from '@merchant-payments/checkout-web/wire'
import type { Page } from '@playwright/test'
import { change, type ScriptedApi, type ScriptedPayment } from './scripted-api.ts'

/** A screen, and the steps that lead a payer to it. */
export interface ScreenCase {
  readonly name: string
  readonly heading: string
  readonly reach: (page: Page, api: ScriptedApi) => Promise<void>
}

const NUMBER = '6 70 12 34 27'
const HALF_A_MINUTE_SEC = 30
const OVER_A_MINUTE_SEC = 65
const OVERDUE_SEC = 120

/** Sets the page's clock to the API's. It moves only when the test advances it. */
async function load(page: Page, link: string): Promise<void> {
  await page.clock.install({ time: START_MS })
  await page.goto(link)
}

/**
 * Waits for the amount, because the page has a heading before it has read the payment: a change of the payment or of
 * the clock before that would be in the answer to the first read.
 */
async function openAt(page: Page, payment: ScriptedPayment): Promise<void> {
  await load(page, payment.link)
  await page.locator('.amount', { hasText: /\d/ }).waitFor()
}

async function pay(page: Page): Promise<void> {
  await page.getByRole('textbox').fill(NUMBER)
  await page.getByRole('button', { name: /Payer/ }).click()
}

const reading =
  (prepare: (payment: ScriptedPayment) => void): ScreenCase['reach'] =>
  async (page, api) => {
    const payment = api.open()
    prepare(payment)
    await openAt(page, payment)
  }

const confirming =
  (
    confirm: ScriptedPayment['confirms'][number],
    prepare?: (payment: ScriptedPayment) => void,
  ): ScreenCase['reach'] =>
  async (page, api) => {
    const payment = api.open()
    payment.confirms = [confirm]
    await openAt(page, payment)
    prepare?.(payment)
    await pay(page)
  }

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#6a1b9a"/><path d="M12 30V10l14 14V10M36 10v20" stroke="#fff" stroke-width="4" fill="none"/></svg>'
const LOGO = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`

const insufficient = refused('insufficient_funds', 'NOT_ENOUGH_FUNDS')

export const screens: readonly ScreenCase[] = [
  {
    name: 'offline',
    heading: 'Confirmez sur votre téléphone',
    reach: async (page, api) => {
      await confirming(waiting())(page, api)
      await page.getByText('Demande envoyée').waitFor()
      await page.context().setOffline(true)
      await page.getByText('Vous êtes hors ligne').waitFor()
    },
  },
  { name: 'form', heading: 'Payer', reach: reading(() => undefined) },
  {
    name: 'form-choice',
    heading: 'Payer',
    reach: async (page, api) => openAt(page, api.open({ rails: [mtn, orange] })),
  },
  {
    name: 'form-branded',
    heading: 'Payer',
    reach: async (page, api) => {
      const payment = api.open({
        rails: [mtn, orange],
        merchant: { name: 'Librairie des Peuples', accent_color: '#6a1b9a', logo: LOGO },
      })
      change(payment, { description: 'Trois cahiers et un dictionnaire' })
      await openAt(page, payment)
      await page.getByRole('radio', { name: 'Orange Money' }).check()
    },
  },
  {
    name: 'form-proposed',
    heading: 'Payer',
    reach: async (page, api) => {
      await openAt(page, api.open({ rails: [mtn, orange] }))
      await page.getByRole('textbox').fill('6 99 00 00 01')
      await page.getByText('d’après votre numéro').waitFor()
    },
  },
  {
    name: 'form-number-fits-none',
    heading: 'Payer',
    reach: async (page, api) => {
      await openAt(page, api.open())
      await page.getByRole('textbox').fill('2 22 33 44 55')
      await page.getByRole('button', { name: /Payer/ }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'sending',
    heading: 'Payer',
    reach: async (page, api) => {
      await page.route('**/confirm', () => undefined)
      await openAt(page, api.open())
      await page.waitForLoadState('networkidle')
      await pay(page)
      await page.getByRole('button', { name: 'Envoi de la demande…' }).waitFor()
    },
  },
  {
    name: 'form-number-refused',
    heading: 'Payer',
    reach: async (page, api) => {
      await confirming({ status: 400, param: 'payment_method_data[mtn_momo_cm][msisdn]' })(page, api)
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'approve', heading: 'Confirmez sur votre téléphone', reach: confirming(waiting()) },
  {
    name: 'approve-help',
    heading: 'Confirmez sur votre téléphone',
    reach: async (page, api) => {
      const payment = api.open()
      payment.confirms = [waiting()]
      await openAt(page, payment)
      await pay(page)
      await page.getByText('Demande envoyée').waitFor()
      payment.aheadMs = OVER_A_MINUTE_SEC * 1_000
      await page.clock.fastForward(payment.aheadMs)
      await page.getByRole('link', { name: 'Composez' }).waitFor()
    },
  },
  {
    name: 'approve-last-seconds',
    heading: 'Confirmez sur votre téléphone',
    reach: async (page, api) => {
      await confirming(waiting(HALF_A_MINUTE_SEC))(page, api)
      await page.getByRole('timer').waitFor()
    },
  },
  {
    name: 'at-rail',
    heading: 'Terminez sur Orange Money',
    reach: async (page, api) => {
      const payment = api.open({ rails: [orange] })
      change(payment, atOrange())
      await openAt(page, payment)
    },
  },
  {
    name: 'wrong-number',
    heading: 'Confirmez sur votre téléphone',
    reach: async (page, api) => {
      await confirming(waiting())(page, api)
      await page.getByRole('button', { name: 'Mauvais numéro ?' }).click()
      await page.getByText('Une seule demande à la fois').waitFor()
    },
  },
  {
    name: 'another-way',
    heading: 'Terminez sur Orange Money',
    reach: async (page, api) => {
      const payment = api.open({ rails: [mtn, orange] })
      change(payment, atOrange())
      await openAt(page, payment)
      await page.getByRole('button', { name: 'Payer autrement' }).click()
    },
  },
  {
    name: 'form-again',
    heading: 'Payer',
    reach: async (page, api) => {
      const payment = api.open()
      payment.confirms = [waiting()]
      await openAt(page, payment)
      await pay(page)
      await page.getByRole('button', { name: 'Mauvais numéro ?' }).click()
      change(payment, refused('payer_declined'))
      await page.clock.fastForward(11_000)
      await page.getByRole('textbox').waitFor()
    },
  },
  {
    name: 'unsure',
    heading: 'Nous vérifions votre demande',
    reach: confirming({ status: 502 }, (payment) => {
      payment.readFault = 503
    }),
  },
  {
    name: 'pending',
    heading: 'Pas encore de réponse de l’opérateur',
    reach: async (page, api) => {
      const payment = api.open()
      change(payment, waiting(-OVERDUE_SEC))
      await openAt(page, payment)
      payment.aheadMs = OVERDUE_SEC * 1_000
      await page.clock.fastForward(payment.aheadMs)
      await page.getByRole('button', { name: 'Continuer à vérifier' }).waitFor()
    },
  },
  { name: 'declined', heading: 'Le paiement n’a pas abouti', reach: confirming(insufficient) },
  {
    name: 'succeeded',
    heading: 'Paiement réussi',
    reach: confirming(paid()),
  },
  {
    name: 'succeeded-open-request',
    heading: 'Paiement réussi',
    reach: reading((payment) => change(payment, paidBeside())),
  },
  {
    name: 'canceled',
    heading: 'Paiement annulé par le marchand',
    reach: reading((payment) => change(payment, { status: 'canceled' })),
  },
  {
    name: 'expired',
    heading: 'Ce lien de paiement a expiré',
    reach: async (page, api) => openAt(page, api.open({ status: 'expired' })),
  },
  {
    name: 'unreadable',
    heading: 'Nous n’arrivons pas à vérifier',
    reach: async (page, api) => {
      const payment = api.open()
      payment.readFault = 503
      await load(page, payment.link)
    },
  },
  {
    name: 'lost-link',
    heading: 'Lien incomplet',
    reach: async (page, api) => load(page, api.open().link.replace(/#.*/, '')),
  },
]
