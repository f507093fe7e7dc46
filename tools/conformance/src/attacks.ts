import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assets } from './threats/index.ts'

/** Runs the tests that docs/threat-model.md names, and no others. */
const files = new Set(
  assets.flatMap(({ threats }) => threats.flatMap(({ tests }) => tests.map(({ file }) => file))),
)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const runner = spawn('node_modules/.bin/vitest', ['run', ...files], { cwd: root, stdio: 'inherit' })
const [code] = await once(runner, 'close')
process.exit(code ?? 1)
