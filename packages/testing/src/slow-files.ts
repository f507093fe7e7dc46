import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node'

/** Longest first. When the report below names others, put them here. */
const slowFiles = [
  'tools/release/test/dry-run.test.ts',
  'tools/stack/test/dev.test.ts',
  'bench/test/quick.test.ts',
  'e2e/test/crashes.test.ts',
  'packages/core/test/plans-of-empty-tables.test.ts',
  'e2e/test/random-kills.test.ts',
  'tools/cli/test/online.test.ts',
  'e2e/test/failover.test.ts',
  'packages/core/test/hot-queries.test.ts',
  'packages/core/test/merchant-moves.test.ts',
]

/** Starts the slow files first, so that none of them is left to run alone at the end. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowFiles.findIndex((file) => moduleId.endsWith(file))
  return rank === -1 ? slowFiles.length : rank
}

const SHOWN = 10

/** Prints the slowest files at the end of a run, with the time of their imports. */
export const slowFilesReporter: Reporter = {
  onTestRunEnd: (modules) => {
    if (modules.length <= SHOWN) return
    const slowest = modules
      .map((module) => ({ file: module.relativeModuleId, ms: durationOf(module) }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
    const lines = slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`)
    console.log(['', ` The ${SHOWN} slowest files:`, ...lines, ''].join('\n'))
  },
}

function durationOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic()
  return environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
}
