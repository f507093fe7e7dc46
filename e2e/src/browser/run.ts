import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@merchant-payments/testing/bundled-programs'
import { BUNDLED_PROGRAMS } from '@merchant-payments/testing/bundled-program'
import { findBrowser } from './find-browser.ts'
import { thisMachine } from './machine.ts'

// Searched once, before the workers start, because the search may install a browser.
const browser = await findBrowser(thisMachine)
// As in vitest.config.ts, for the processes that the stories start.
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url))
const runner = spawn('node_modules/.bin/playwright', ['test', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    CHROMIUM_PATH: browser,
    [BUNDLED_PROGRAMS]: await bundlePrograms(),
  },
  stdio: 'inherit',
})
const [code] = await once(runner, 'close')
process.exit(code ?? 1)
