import { defineConfig } from 'vitest/config'

/** Long enough for a machine that runs everything at once; no test waits for its own sake. */
const SYSTEM_TIMEOUT_MS = 60_000

const tests = '{{apps,packages,tools,examples}/*,bench,e2e}'

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: [`${tests}/src/**/*.test.ts`], environment: 'node' },
      },
      {
        test: {
          name: 'dom',
          include: ['apps/*/test/**/*.test.tsx'],
          environment: 'jsdom',
        },
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: [`${tests}/**/*.test-d.ts`],
            tsconfig: './tsconfig.json',
          },
        },
      },
      {
        test: {
          name: 'system',
          include: [`${tests}/test/**/*.test.ts`],
          globalSetup: ['./vitest.global-setup.ts'],
          testTimeout: SYSTEM_TIMEOUT_MS,
          hookTimeout: SYSTEM_TIMEOUT_MS,
        },
      },
      {
        test: {
          name: 'contract',
          include: [`${tests}/contract/**/*.test.ts`],
          globalSetup: ['./packages/rails/contract/global-setup.ts'],
          testTimeout: SYSTEM_TIMEOUT_MS,
        },
      },
    ],
  },
})
