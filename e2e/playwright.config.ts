import { defineConfig } from '@playwright/test'

/** A low-end phone of the region. */
const PHONE = { width: 360, height: 740 }

/** Chromium's sandbox does not run as root. */
const launchArgs = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  // A name for the system under test that is no loopback address.
  '--host-resolver-rules=MAP pay.example 127.0.0.1',
]

const executablePath = process.env['CHROMIUM_PATH'] ?? 'chromium'

export default defineConfig({
  testDir: '.',
  testMatch: '{checkout,dashboard,docs}/**/*.spec.ts',
  outputDir: './.results',
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  // A story mostly waits, for a rail or for the next look of a page, so that two cores have time for four.
  workers: 4,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  // In this order. Staff's stories come first, because those of a file share a system and follow one another.
  projects: [
    { name: 'staff', testMatch: 'dashboard/**/*.spec.ts' },
    {
      name: 'budget',
      testMatch: 'checkout/budget.spec.ts',
      // A certificate that is accepted only after an error costs a second handshake.
      use: { launchOptions: { executablePath, args: [...launchArgs, '--ignore-certificate-errors'] } },
    },
    { name: 'payers', testMatch: '{checkout,docs}/**/*.spec.ts', testIgnore: 'checkout/budget.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    viewport: PHONE,
    locale: 'fr-CM',
    timezoneId: 'Africa/Douala',
    launchOptions: { executablePath, args: launchArgs },
  },
})
