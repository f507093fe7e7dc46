import { defineConfig } from '@playwright/test'

/** A low-end phone of the region. */
const PHONE = { width: 360, height: 740 }

/** Chromium's sandbox does not run as root. */
const launchArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export default defineConfig({
  testDir: '.',
  testMatch: '{checkout,dashboard}/**/*.spec.ts',
  outputDir: './.results',
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: PHONE,
    locale: 'fr-CM',
    timezoneId: 'Africa/Douala',
    launchOptions: { executablePath: process.env['CHROMIUM_PATH'] ?? 'chromium', args: launchArgs },
  },
})
