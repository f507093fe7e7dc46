import type { BrowserContext, Page } from '@playwright/test'
import type { Words } from '@merchant-payments/checkout-web/words'
import type { Stack } from '@merchant-payments/stack'
import { expect, heading, pay, payButton, test } from './stack/fixtures.ts'
import type { Sale, Shop } from './stack/shop.ts'

const APPROVES = '670000001'
const LACKS_FUNDS = '670000470'
const ORANGE = 'Orange Money'

interface World {
  readonly page: Page
  readonly context: BrowserContext
  readonly say: Words
  readonly stack: Stack
  readonly shop: Shop
  readonly openSale: (rails: readonly string[]) => Promise<Sale>
  /** A number whose prompt waits for a person, used by no other way. */
  readonly waiting: string
}

/** A way in which payers go wrong, up to the point where they have paid. */
type Way = (world: World) => Promise<void>

async function decide({ stack, waiting }: World, how: 'approveCharge' | 'expireCharge'): Promise<void> {
  const [charge] = await stack.mockRails.control.listCharges({ msisdn: waiting })
  await stack.mockRails.control[how](charge?.reference ?? '')
}

async function untilPrompted({ page, say, stack, openSale, waiting }: World): Promise<Sale> {
  const sale = await openSale([stack.mockRails.pushRail])
  await pay(page, say, waiting)
  await expect(heading(page)).toHaveText(say.approveTitle)
  return sale
}

async function payAnew({ page, say }: World): Promise<void> {
  await expect(heading(page)).toHaveText(say.payTitle)
  await pay(page, say, APPROVES)
}

const ways: Readonly<Record<string, Way>> = {
  'the wrong operator': async (world) => {
    const { page, say, stack, openSale } = world
    await openSale([stack.mockRails.pushRail, stack.mockRails.redirectRail])
    await page.getByRole('textbox').fill('699000001')
    await page.getByRole('radio').first().check()
    await expect(page.getByText(say.railDiffers(ORANGE, 'MTN').split('MTN')[0] ?? '')).toBeVisible()
    await payAnew(world)
  },
  'a mistyped number': async (world) => {
    const { page, say, stack } = world
    await untilPrompted(world)
    await page.getByRole('button', { name: say.wrongNumber }).click()
    const [charge] = await stack.mockRails.control.listCharges({ msisdn: world.waiting })
    await stack.mockRails.control.refuseCharge(charge?.reference ?? '')
    await payAnew(world)
  },
  'a canceled page of the operator': async (world) => {
    const { page, say, stack, openSale } = world
    await openSale([stack.mockRails.pushRail, stack.mockRails.redirectRail])
    await page.getByRole('radio', { name: ORANGE }).check()
    await page.getByRole('button', { name: say.payAtRail(ORANGE) }).click()
    await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
    await page.getByRole('button', { name: /^(Refuser|Refuse)/ }).click()
    await expect(heading(page)).toHaveText(say.declinedTitle, { timeout: 40_000 })
    await page.getByRole('button', { name: say.otherWay }).click()
    await payAnew(world)
  },
  'no money': async (world) => {
    const { page, say, stack, openSale } = world
    await openSale([stack.mockRails.pushRail])
    await pay(page, say, LACKS_FUNDS)
    await expect(heading(page)).toHaveText(say.declinedTitle)
    await page.getByRole('button', { name: say.otherNumber }).click()
    await payAnew(world)
  },
  'a time-out': async (world) => {
    const { page, say } = world
    await untilPrompted(world)
    await decide(world, 'expireCharge')
    await expect(heading(page)).toHaveText(say.declinedTitle)
    await page.getByRole('button', { name: say.sameNumber }).click()
    await payAnew(world)
  },
  offline: async (world) => {
    const { page, context, say } = world
    await untilPrompted(world)
    await context.setOffline(true)
    await expect(page.getByText(say.offline)).toBeVisible()
    await decide(world, 'approveCharge')
    await context.setOffline(false)
  },
  'a reload': async (world) => {
    const { page, say } = world
    await untilPrompted(world)
    await page.reload()
    await expect(heading(page)).toHaveText(say.approveTitle)
    await expect(page.getByText(/•• •• •• 00|••.••.••.00/)).toBeVisible()
    await decide(world, 'approveCharge')
  },
  'a second tab': async (world) => {
    const { context, say } = world
    const { link } = await untilPrompted(world)
    const second = await context.newPage()
    await second.goto(link)
    await expect(heading(second)).toHaveText(say.approveTitle)
    await expect(second.getByRole('textbox')).toHaveCount(0)
    await decide(world, 'approveCharge')
    await expect(heading(second)).toHaveText(say.succeededTitle)
    await second.close()
  },
  'the back button': async (world) => {
    const { page, say, stack, openSale } = world
    await openSale([stack.mockRails.redirectRail])
    await page.getByRole('button', { name: say.payAtRail(ORANGE) }).click()
    await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
    await page.goBack()
    await expect(heading(page)).toHaveText(say.atRailTitle(ORANGE))
    await page.getByRole('button', { name: say.toRail(new URL(stack.mockRails.wireUrl).host) }).click()
    await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
    await page.getByRole('textbox').first().fill('699000001')
    await page.getByRole('textbox').last().fill('1234')
    await page.getByRole('button').first().click()
  },
  'a late success': async ({ page, say, stack, openSale, waiting }) => {
    await openSale([stack.mockRails.pushRail])
    await pay(page, say, waiting.replace(/000$/, '480'))
    await expect(heading(page)).toHaveText(say.declinedTitle)
    await expect(heading(page)).toHaveText(say.succeededTitle, { timeout: 60_000 })
  },
  'a phone that slept': async (world) => {
    const { page, context } = world
    await untilPrompted(world)
    const session = await context.newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await decide(world, 'approveCharge')
    await session.send('Page.setWebLifecycleState', { state: 'active' })
  },
}

for (const language of ['fr', 'en'] as const) {
  test.describe(`twelve ways to go wrong, in ${language}`, () => {
    test.use({ language })

    for (const [at, [name, go]] of Object.entries(ways).entries()) {
      test(`${name} ends in one payment`, async ({ page, context, say, stack, shop, openSale }) => {
        const place = String(at).padStart(2, '0')
        const waiting = `237679${language === 'fr' ? 1 : 2}${place}000`
        const sales: Sale[] = []
        const open = async (rails: readonly string[]): Promise<Sale> => {
          const sale = await openSale(rails)
          sales.push(sale)
          return sale
        }
        await go({ page, context, say, stack, shop, openSale: open, waiting })
        await expect(heading(page)).toHaveText(say.succeededTitle, { timeout: 40_000 })
        const [sale] = sales
        expect((await shop.payments.paymentIntents.retrieve(sale?.intentId ?? '')).status).toBe('succeeded')
      })
    }

    test('an expired link ends in a sentence that says what to do', async ({
      page,
      say,
      stack,
      shop,
      openSale,
    }) => {
      const { sessionId } = await openSale([stack.mockRails.pushRail])
      await payButton(page, say).waitFor()
      await shop.payments.checkout.sessions.expire(sessionId)
      await pay(page, say, APPROVES)
      await expect(heading(page)).toHaveText(say.expiredTitle)
      await expect(page.getByText(say.expiredText('Demo shop'))).toBeVisible()
      await expect(page.getByRole('link', { name: say.toShop('Demo shop') })).toBeVisible()
    })
  })
}
