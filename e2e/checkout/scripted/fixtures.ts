import { test as base } from '@playwright/test'
import { type ScriptedApi, startScriptedApi } from './scripted-api.ts'

export { expect } from '@playwright/test'

/** Each worker has one server; each test makes its own payments on it. */
export const test = base.extend<object, { api: ScriptedApi }>({
  api: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const api = await startScriptedApi()
      await use(api)
      await api.stop()
    },
    { scope: 'worker' },
  ],
})
