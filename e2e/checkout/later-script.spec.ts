import { refused, START_MS, waiting } from '@merchant-payments/checkout-web/wire'
import { words } from '@merchant-payments/checkout-web/words'
import type { Page } from '@playwright/test'
import { expect, test } from './scripted/fixtures.ts'
import { change, type ScriptedPayment } from './scripted/scripted-api.ts'

const say = words.fr
const SCRIPT = /\/later-[^/]*\.js$/
const TRIES = 20
const RETRY_MS = 3_000
/** So many times without a try mean that no other follows. */
const QUIET = 8

/** Opens the page on a network that loses the script of the later screens, until the page has given it up. */
async function openWithoutScript(page: Page, { link }: ScriptedPayment): Promise<void> {
  let tries = 0
  await page.route(SCRIPT, (route) => {
    tries += 1
    return route.abort('internetdisconnected')
  })
  await page.clock.install({ time: START_MS })
  await page.goto(link)
  let quiet = 0
  const isGivenUp = async (): Promise<boolean> => {
    const before = tries
    await page.clock.runFor(RETRY_MS)
    quiet = tries > before || tries < TRIES ? 0 : quiet + 1
    return quiet >= QUIET
  }
  await expect.poll(isGivenUp, { intervals: [100], timeout: 60_000 }).toBe(true)
  await page.unroute(SCRIPT)
}

test('a payment whose press has fetched the script shows what to confirm', async ({ page, api }) => {
  const payment = api.open()
  payment.confirms = [waiting()]
  await openWithoutScript(page, payment)
  await page.getByRole('textbox').fill('670123427')
  await page.getByRole('button', { name: /Payer/ }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say.approveTitle)
  await expect(page.getByText('Demande envoyée au')).toBeVisible()
})

for (const event of ['online', 'visibilitychange'] as const) {
  test(`a refusal is explained after the event ${event}`, async ({ page, api }) => {
    const payment = api.open()
    change(payment, refused('insufficient_funds'))
    await openWithoutScript(page, payment)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say.declinedTitle)
    await expect(page.getByText('Le solde ne suffit pas')).toHaveCount(0)
    await page.evaluate(`document.dispatchEvent(new Event('${event}', { bubbles: true }))`)
    await expect(page.getByText('Le solde ne suffit pas')).toBeVisible()
  })
}
