import { type Cookie, type Page, test as base } from '@playwright/test'
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

type Come = (login: Login, path?: string) => Promise<void>

interface Story {
  /** Opens a path of the dashboard with the session of an earlier story, or signs in and returns to the path. */
  readonly comeAs: Come
  /** Opens a path of the dashboard, signs in, and returns to it. For a story that ends its session. */
  readonly signInAs: Come
}

type Sessions = Map<Login, Cookie>

const SESSION_COOKIE = '__Host-staff_session'

/** The whole system with some history, and a staff member's browser. */
export const test = base.extend<Story, { system: string; stack: Stack; world: World; sessions: Sessions }>({
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
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
  sessions: [async ({}, use) => use(new Map()), { scope: 'worker' }],
  signInAs: async ({ page }, use) =>
    use(async (login, path = '/dash/') => {
      await page.goto(path)
      await signIn(page, login)
    }),
  comeAs: async ({ page, context, stack, sessions, signInAs }, use) =>
    use(async (login, path = '/dash/') => {
      const session = sessions.get(login)
      if (session !== undefined) {
        await context.addCookies([session])
        await page.goto(path)
        return
      }
      await signInAs(login, path)
      // The provider's pages have another origin, and set cookies of their own.
      await page.waitForURL(`${stack.baseUrl}/dash/**`, { waitUntil: 'commit' })
      const cookie = (await context.cookies()).find(({ name }) => name === SESSION_COOKIE)
      if (cookie !== undefined) sessions.set(login, cookie)
    }),
})

/** Signs in on the provider's page. */
async function signIn(page: Page, login: Login): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: names[login] }).click()
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })
