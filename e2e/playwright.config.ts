import { defineConfig } from '@playwright/test'

/** A low-end phone of the region. */
const PHONE = { width: 360, height: 740 }

/** Chromium's sandbox does not run as root. */
const launchArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : []

const executablePath = process.env['CHROMIUM_PATH'] ?? 'chromium'

export default defineConfig({
  testDir: '.',
  testMatch: '{checkout,dashboard,docs}/**/*.spec.ts',
  outputDir: './.results',
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  // A story mostly waits, for a rail or for the next look of a page.
  workers: 3,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  projects: [
    // What it measures is the time of a page, which other stories beside it would take.
    {
      name: 'budget',
      testMatch: 'checkout/budget.spec.ts',
      // A certificate that is accepted only after an error costs a second handshake.
      use: { launchOptions: { executablePath, args: [...launchArgs, '--ignore-certificate-errors'] } },
    },
    { name: 'stories', testIgnore: 'checkout/budget.spec.ts', dependencies: ['budget'] },
  ],
  use: {
    browserName: 'chromium',
    viewport: PHONE,
    locale: 'fr-CM',
    timezoneId: 'Africa/Douala',
    launchOptions: { executablePath, args: launchArgs },
  },
})
