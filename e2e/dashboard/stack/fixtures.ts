import { type Page, test as base } from '@playwright/test'
import { type Stack, startStack } from '@merchant-payments/stack'
import { makeWorld, type World } from './world.ts'

export { expect } from '@playwright/test'

type Login = 'vera' | 'omar' | 'olga' | 'ada' | 'nils'

const names: Readonly<Record<Login, RegExp>> = {
  vera: /^Vera/,
  omar: /^Omar/,
  olga: /^Olga/,
  ada: /^Ada/,
  nils: /^Nils/,
}

interface Story {
  /** Opens a path of the dashboard, signs in, and returns to it. */
  readonly comeAs: (login: Login, path?: string) => Promise<void>
}

/** The whole system with some history, and a staff member's browser. */
export const test = base.extend<Story, { system: string; stack: Stack; world: World }>({
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  // Files that name a system of their own share it with no other.
  system: ['shared', { option: true, scope: 'worker' }],
  stack: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const stack = await startStack({
        staff: true,
        mockRailsSettings: { mtn: { autoApproveAfterMs: 300 } },
      })
      await use(stack)
      await stack.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  world: [
    async ({ stack }, use) => use(await makeWorld(stack)),
    { scope: 'worker', timeout: 90_000, auto: true },
  ],
  baseURL: async ({ stack }, use) => use(stack.baseUrl),
  comeAs: async ({ page }, use) =>
    use(async (login, path = '/dash/') => {
      await page.goto(path)
      await signIn(page, login)
    }),
})

/** Signs in on the provider's page. */
async function signIn(page: Page, login: Login): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: names[login] }).click()
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })
