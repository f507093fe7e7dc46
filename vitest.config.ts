import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowFilesFirst, slowFilesReporter } from './packages/testing/src/slow-files.ts'

/** Long enough for a machine that runs everything at once; no test waits for its own sake. */
const TIMEOUT_MS = 60_000

/** A poll that never succeeds is reported before its test times out. */
const POLL_TIMEOUT_MS = TIMEOUT_MS / 2

/** Files at once. Most tests wait for a database or a process, so that two cores have time for three files. */
const WORKERS = Math.max(3, availableParallelism() - 1)

const tests = '{{apps,packages,tools,examples}/*,bench,deploy,e2e}'

/** Tests of the service and the rails in the process of the test: each file opens what it needs and closes it. */
const inProcess = [
  'apps/api/test/{browser,conformance,dash,http,oauth,v1}/**/*.test.ts',
  'packages/rails/test/**/*.test.ts',
  'tools/mock-rails/test/**/*.test.ts',
]

/** The dry run of a release takes minutes and the npm registry. */
const releaseTests = 'tools/release/test/**/*.test.ts'

/** Tests start some hundred processes of the service. With compiled code at hand each takes two thirds of the time to start. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('node_modules/.cache/node-compile', import.meta.url),
)

export default defineConfig({
  test: {
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    maxWorkers: WORKERS,
    sequence: { sequencer: SlowFilesFirst },
    reporters: ['default', slowFilesReporter],
    // The default of a second is too short for a busy machine.
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${tests}/src/**/*.test.ts`],
          environment: 'node',
          // Most of these files take less time than their imports.
          isolate: false,
        },
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
          name: 'in-process',
          include: inProcess,
          // Most of these files take less time than the import of the service, which they share.
          isolate: false,
          globalSetup: ['./vitest.global-setup.ts'],
          setupFiles: ['./vitest.record-statements.ts'],
        },
      },
      {
        test: {
          name: 'system',
          include: [`${tests}/test/**/*.test.ts`],
          exclude: [...configDefaults.exclude, ...inProcess, releaseTests],
          globalSetup: ['./vitest.global-setup.ts', './vitest.bundle-programs.ts'],
          setupFiles: ['./vitest.record-statements.ts'],
        },
      },
      {
        test: {
          name: 'contract',
          include: [`${tests}/contract/**/*.test.ts`],
          globalSetup: ['./packages/rails/contract/global-setup.ts'],
        },
      },
      {
        test: {
          name: 'release',
          include: [releaseTests],
        },
      },
      {
        test: {
          name: 'image',
          include: ['deploy/image-test/**/*.test.ts'],
        },
      },
    ],
  },
})
